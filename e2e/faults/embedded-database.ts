import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** The PostgreSQL of a data folder, as its files tell of it. */
export interface EmbeddedDatabase {
  /** Of the server process, the postmaster. */
  pid: number
  url: string
}

/** The PostgreSQL that was started last in a data folder; undefined where there is none. It may have ended. */
async function findEmbeddedDatabase(dataDir: string): Promise<EmbeddedDatabase | undefined> {
  const read = (folder: string, name: string) =>
    readFile(join(folder, name), 'utf8').then(
      text => text.trim(),
      () => undefined,
    )
  const clusterDir = (await read(dataDir, 'postgres-location')) ?? join(dataDir, 'postgres')
  const [pid, , , port, socketDir] = (await read(clusterDir, 'postmaster.pid'))?.split('\n') ?? []
  const password = await read(clusterDir, 'usher-password')
  if (!Number(pid) || !Number(port) || !password) return undefined
  const host = socketDir ? `&host=${encodeURIComponent(clusterDir)}` : ''
  return {
    pid: Number(pid),
    url: `postgres://usher:${password}@127.0.0.1:${port}/usher?sslmode=disable${host}`,
  }
}

/** The PostgreSQL that was started last in a data folder; it may have ended. Throws where there is none. */
export async function getEmbeddedDatabase(dataDir: string): Promise<EmbeddedDatabase> {
  const found = await findEmbeddedDatabase(dataDir)
  if (!found) throw new Error(`no PostgreSQL was started in ${dataDir}`)
  return found
}

/** Ends a PostgreSQL that a killed platform left behind. */
export async function endEmbeddedDatabase(dataDir: string): Promise<void> {
  const left = await findEmbeddedDatabase(dataDir)
  // Immediate: nothing of it is needed any more.
  if (left && isPostgres(left.pid, dataDir)) process.kill(left.pid, 'SIGQUIT')
  for (let look = 0; left && isPostgres(left.pid, dataDir); look++) {
    await delay(50)
    if (look === 100) process.kill(left.pid, 'SIGKILL')
  }
}

/** Whether the process is the server of that folder, and not another one that got its id later. */
function isPostgres(pid: number, dataDir: string): boolean {
  const { stdout } = spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.includes('postgres') && stdout.includes(dataDir)
}
