import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The platform's own PostgreSQL, as its data folder tells of it. */
export interface PlatformDatabase {
  pid: number
  /** Of a database on that server. */
  url(database: string): string
}

/** Finds the PostgreSQL that runs in a data folder. Throws when it cannot be found. */
export async function findDatabase(dataDir: string): Promise<PlatformDatabase> {
  const elsewhere = await readFile(join(dataDir, 'postgres-location'), 'utf8').catch(() => undefined)
  const clusterDir = elsewhere?.trim() ?? join(dataDir, 'postgres')
  const [pid, , , port, socketDir] = (await readFile(join(clusterDir, 'postmaster.pid'), 'utf8')).split('\n')
  const password = (await readFile(join(clusterDir, 'usher-password'), 'utf8')).trim()
  if (!Number(pid) || !Number(port)) throw new Error(`no PostgreSQL runs in ${dirname(clusterDir)}`)
  // A socket always lies in the cluster's folder.
  const host = socketDir ? `&host=${encodeURIComponent(clusterDir)}` : ''
  return {
    pid: Number(pid),
    url: database => `postgres://usher:${password}@127.0.0.1:${port}/${database}?sslmode=disable${host}`,
  }
}
