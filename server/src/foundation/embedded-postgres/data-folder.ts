import { randomUUID } from 'node:crypto'
import { mkdir, realpath, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { StartError } from '../start-error.ts'

/** The beginning of the name of a file that is written to see whether that can be done. */
const PROBE = '.write-test-'

/**
 * Makes the data folder where it is missing and shows that it can be written.
 * Returns its real, absolute path. Throws a StartError where it cannot be used.
 */
export async function openDataFolder(dataDir: string): Promise<string> {
  const wanted = resolve(dataDir)
  try {
    await makeFolder(wanted)
    const folder = await realpath(wanted)
    const probe = join(folder, `${PROBE}${randomUUID()}`)
    await writeFile(probe, 'usher', { flag: 'wx', mode: 0o600 })
    await unlink(probe)
    return folder
  } catch (error) {
    throw explainFolderError(error, wanted)
  }
}

/** Makes the folder and those above it. mkdir's own `recursive` never ends below /proc (seen in Node 24). */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return
    if (code !== 'ENOENT' || dirname(folder) === folder || (await exists(dirname(folder)))) throw error
    await makeFolder(dirname(folder))
    await makeFolder(folder)
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** Turns an error of the file system into a StartError about the folder; any other error comes back as it is. */
export function explainFolderError(error: unknown, folder: string): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  const other = 'set USHER_DATA_DIR to another folder, or USHER_DATABASE_URL to a server'
  switch (code) {
    case 'ENOTDIR':
    case 'EEXIST':
      return new StartError(`the data folder ${folder} is a file or lies below one: ${other}`, {
        cause: error,
      })
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOENT':
      return new StartError(
        `the data folder ${folder} cannot be written by this user (${describe(error)}): give this user the folder, or ${other}`,
        { cause: error },
      )
    case 'ENOSPC':
    case 'EDQUOT':
      return noSpaceLeft(folder, error)
    default:
      return error
  }
}

/** Whether PostgreSQL says that the disk is full. */
export function saysNoSpaceLeft(output: string): boolean {
  return /No space left on device|Check free disk space/.test(output)
}

/** The StartError for a full disk below the folder. */
export function noSpaceLeft(folder: string, cause?: unknown): StartError {
  return new StartError(
    `no disk space left for the data folder ${folder}: free some (a new database takes about 100 MB), or set USHER_DATA_DIR to a folder on another disk`,
    { cause },
  )
}

function describe(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException
  // That file tells its reader nothing.
  return path === undefined || path.includes(PROBE) ? String(code) : `${code} at ${path}`
}
