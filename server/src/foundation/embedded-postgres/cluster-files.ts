import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Endpoint } from './endpoint.ts'

/** Beside the data, so that a copy or a removal of the cluster takes its password along. */
export const PASSWORD_FILE = 'usher-password'

/** Names the cluster's folder where that could not be in the data folder (see launch-strategies.ts). */
export const LOCATION_FILE = 'postgres-location'

/** The folder of the cluster that belongs to the data folder; it need not be there yet. */
export async function locateCluster(dataDir: string): Promise<string> {
  const location = await findText(join(dataDir, LOCATION_FILE))
  return location ?? join(dataDir, 'postgres')
}

/** The major version of PostgreSQL that made the cluster; undefined where there is none. */
export async function findClusterMajor(clusterDir: string): Promise<number | undefined> {
  const text = await findText(join(clusterDir, 'PG_VERSION'))
  return text === undefined ? undefined : Number.parseInt(text, 10)
}

/** The password made at the first start; undefined where it is not there. */
export async function findPassword(clusterDir: string): Promise<string | undefined> {
  return findText(join(clusterDir, PASSWORD_FILE))
}

/** What stands in `postmaster.pid` while a server runs, and after it was killed. */
export interface PostmasterFile {
  pid: number
  endpoint: Endpoint
}

/** Reads `postmaster.pid`; undefined where there is none or it is not written to its end yet. */
export async function findPostmasterFile(clusterDir: string): Promise<PostmasterFile | undefined> {
  const text = await findText(join(clusterDir, 'postmaster.pid'))
  const [pid, , , port, socketDir] = text?.split('\n') ?? []
  if (!Number(pid) || !Number(port)) return undefined
  // The socket always lies in the cluster's folder, also after that has been moved.
  const endpoint = socketDir ? { socketDir: clusterDir, port: Number(port) } : { port: Number(port) }
  return { pid: Number(pid), endpoint }
}

/** The trimmed text of the file; undefined where there is no such file. */
async function findText(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
