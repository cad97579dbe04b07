import { realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../start-error.ts'
import { findPassword, findPostmasterFile, locateCluster } from './cluster-files.ts'
import { clusterName, isClusterProcess } from './cluster-processes.ts'
import { tryConnect } from './connection.ts'
import { databaseUrl } from './endpoint.ts'

/** A server that is starting, or that is being started again, is there soon. */
const PATIENCE_MS = 10_000

/**
 * The URL of the database that runs in this data folder now, whoever runs it; undefined if none does.
 * Writes nothing. Throws a StartError where this user may not read the folder.
 */
export async function findRunningPostgres(dataDir: string): Promise<string | undefined> {
  try {
    const clusterDir = await locateCluster(await realpath(dataDir))
    const until = performance.now() + PATIENCE_MS
    for (;;) {
      const file = await findPostmasterFile(clusterDir)
      const password = await findPassword(clusterDir)
      if (file === undefined || password === undefined) return undefined
      if (!(await isClusterProcess(file.pid, await clusterName(clusterDir)))) return undefined
      const url = databaseUrl(file.endpoint, password)
      if ((await tryConnect(url, 2_000)) === 'ready') return url
      if (performance.now() > until) return undefined
      await sleep(50)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code !== 'EACCES' && code !== 'EPERM') throw error
    throw new StartError(
      `the database in the data folder ${dataDir} belongs to another user: run this as the user that runs Usher`,
      { cause: error },
    )
  }
}
