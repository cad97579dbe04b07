import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findDatabase } from '../platform/find-database.ts'
import { endAllChildren } from './children.ts'

/** Runs with a temporary folder, and ends every process and removes the folder afterwards, also on
 *  Ctrl-C. `run` gives the exit code. */
export async function runCleanly(run: (folder: string) => Promise<number>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'usher-bench-'))
  let ended: Promise<void> | undefined
  const end = (): Promise<void> => {
    ended ??= cleanUp(folder)
    return ended
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (!ended) console.error('\nEnding the processes of the bench and removing its data …')
      void end().then(() => process.exit(1))
    })
  try {
    process.exitCode = await run(folder)
  } catch (error) {
    // After a Ctrl-C what fails is only what was just ended.
    if (!ended) console.error(error)
    process.exitCode = 1
  } finally {
    await end()
  }
}

async function cleanUp(folder: string): Promise<void> {
  await endAllChildren()
  await endLeftDatabase(join(folder, 'data'))
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** A platform that had to be killed leaves its PostgreSQL behind. */
async function endLeftDatabase(dataDir: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const left = await findDatabase(dataDir).catch(() => undefined)
    if (!left || !isRunning(left.pid)) return
    if (attempt === 0) process.kill(left.pid, 'SIGINT')
    await delay(100)
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
