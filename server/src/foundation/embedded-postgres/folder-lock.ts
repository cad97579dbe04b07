import { access, constants, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../start-error.ts'
import { isAlive } from './cluster-processes.ts'

const SQLITE_BUSY = 5

/** Long enough for one of two that start at the same instant to step back, short enough to block for. */
const BUSY_TIMEOUT_MS = 100

export interface FolderLock {
  release(): Promise<void>
}

/**
 * Takes the data folder for this process, or throws a StartError that names the process that has it.
 *
 * The lock is that of an empty SQLite file, held in an open transaction: Node has no call of its own for
 * a lock of the operating system, and SQLite, which is built in, has one on every platform. The kernel gives it
 * back when the process ends, however it ends, so there is no stale lock to judge, and a process id used again by
 * another program cannot be mistaken for its owner. `usher.pid` only says who it is.
 *
 * Nothing else in the process may open and close `usher.lock`: POSIX would drop the lock with it.
 */
export async function takeFolderLock(dataDir: string): Promise<FolderLock> {
  const lockFile = join(dataDir, 'usher.lock')
  const noteFile = join(dataDir, 'usher.pid')
  await refuseUnwritable(lockFile)
  for (let attempt = 1; ; attempt++) {
    const lock = tryLock(lockFile)
    if (lock !== undefined) {
      try {
        // It may be another user's, of a start that was killed.
        await rm(noteFile, { force: true })
        await writeFile(noteFile, `${process.pid} ${hostname()}\n`)
      } catch (error) {
        lock.close()
        throw error
      }
      return {
        async release() {
          if (!lock.isOpen) return
          await rm(noteFile, { force: true })
          lock.close()
        },
      }
    }
    const owner = await findOwner(noteFile)
    if (owner !== undefined || attempt === 5) throw inUse(dataDir, owner)
    // The owner has just started, and has not written its name yet.
    await sleep(50)
  }
}

/** An open file that holds the lock; undefined where another process, or this one, holds it. */
function tryLock(lockFile: string): DatabaseSync | undefined {
  let file: DatabaseSync | undefined
  try {
    file = new DatabaseSync(lockFile, { timeout: BUSY_TIMEOUT_MS })
    file.exec('BEGIN EXCLUSIVE')
    return file
  } catch (error) {
    if (file?.isOpen) file.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined
    throw new StartError(
      `${lockFile} cannot be locked (${(error as Error).message}): set USHER_DATA_DIR to a folder on a local disk`,
      { cause: error },
    )
  }
}

/** SQLite would open a read-only file without a word, and then take no lock. */
async function refuseUnwritable(lockFile: string): Promise<void> {
  try {
    await access(lockFile, constants.R_OK | constants.W_OK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw new StartError(
      `${lockFile} belongs to another user: start Usher as the user who made the data folder, or set USHER_DATA_DIR to another folder`,
      { cause: error },
    )
  }
}

async function findOwner(noteFile: string): Promise<string | undefined> {
  const note = await readFile(noteFile, 'utf8').catch(() => '')
  const [pid, host] = note.trim().split(' ')
  if (!pid || !host) return undefined
  if (host !== hostname()) return `pid ${pid} on ${host}`
  return isAlive(Number(pid)) ? `pid ${pid}` : undefined
}

function inUse(dataDir: string, owner: string | undefined): StartError {
  const who = owner === undefined ? '' : ` (${owner})`
  return new StartError(
    `the data folder ${dataDir} is in use by another Usher process${who}: stop that process, or set USHER_DATA_DIR to another folder`,
  )
}
