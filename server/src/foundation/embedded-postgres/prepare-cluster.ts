import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StartError } from '../start-error.ts'
import type { Binaries } from './binaries.ts'
import { findClusterMajor, findPassword, PASSWORD_FILE } from './cluster-files.ts'
import { makeFolder } from './data-folder.ts'
import { initializeCluster } from './initialize-cluster.ts'
import { handOver, type Launch, removeHalfMade } from './launch.ts'

/** Makes the cluster at the first start; hands an existing one to whom the server runs as. `flush` as at initializeCluster. */
export async function prepareCluster(launch: Launch, flush: boolean): Promise<void> {
  const { clusterDir } = launch
  await makeFolder(dirname(clusterDir))
  await removeHalfMade(clusterDir)
  if ((await findClusterMajor(clusterDir)) === undefined) await initializeCluster(launch, flush)
  else await handOver(launch, clusterDir)
}

/** Throws a StartError where the cluster is not one that these binaries and this user can run. */
export async function refuseForeignCluster(clusterDir: string, binaries: Binaries): Promise<void> {
  const owner = await stat(clusterDir).catch(() => undefined)
  if (owner === undefined) return
  const uid = process.getuid?.()
  if (uid !== undefined && uid !== 0 && uid !== owner.uid) {
    throw new StartError(
      `the database in ${clusterDir} belongs to another user (id ${owner.uid}): start Usher as that user, or give the folder to this one with chown -R`,
    )
  }
  const made = await findClusterMajor(clusterDir)
  const shipped = Number.parseInt(binaries.version, 10)
  if (made === undefined) {
    throw new StartError(
      `${clusterDir} is there but holds no PostgreSQL data: remove it to start with an empty database, or put the data back from a backup`,
    )
  }
  if (made !== shipped) {
    throw new StartError(
      `the database in ${clusterDir} was made by PostgreSQL ${made}, and this Usher brings PostgreSQL ${shipped}: dump it with the Usher that made it and restore it into a new data folder, or set USHER_DATABASE_URL`,
    )
  }
  if ((await findPassword(clusterDir)) === undefined) {
    throw new StartError(
      `${clusterDir}/${PASSWORD_FILE} is missing: put it back from a backup, without it nobody can connect to the database`,
    )
  }
}
