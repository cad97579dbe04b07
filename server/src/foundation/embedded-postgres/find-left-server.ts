import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../start-error.ts'
import type { Binaries } from './binaries.ts'
import { findPassword, findPostmasterFile } from './cluster-files.ts'
import { clusterName, isClusterProcess } from './cluster-processes.ts'
import { tryConnect } from './connection.ts'
import { databaseUrl, type Endpoint } from './endpoint.ts'
import { adoptPostmaster, type Deadlines, type Postmaster, stopPostmaster } from './postmaster.ts'

export interface LeftServer {
  postmaster: Postmaster
  endpoint: Endpoint
}

/**
 * The server that a killed process left running on the cluster; undefined if there is none. One that is starting,
 * recovering or stopping is waited for; one that gives no answer within its deadline is ended, which
 * loses nothing that was committed. Only for who holds the data folder.
 */
export async function findLeftServer(
  clusterDir: string,
  binaries: Binaries,
  deadlines: Deadlines,
  log: (line: string) => void,
): Promise<LeftServer | undefined> {
  const startedAt = performance.now()
  for (let round = 0; ; round++) {
    const file = await findPostmasterFile(clusterDir)
    const password = await findPassword(clusterDir)
    if (file === undefined || password === undefined) return undefined
    const { pid, endpoint } = file
    const cluster = await clusterName(clusterDir)
    if (!(await isClusterProcess(pid, cluster))) return undefined

    const answer = await tryConnect(databaseUrl(endpoint, password, 'postgres'), 2_000)
    if (answer === 'ready') return { postmaster: adoptPostmaster(pid, cluster), endpoint }
    if (answer === 'denied') throw wrongPassword(clusterDir, pid)
    if (round === 0) log(`waiting for PostgreSQL (pid ${pid}), which an earlier process left behind`)
    const patienceMs = answer === 'silent' ? deadlines.silentMs : deadlines.busyMs
    if (performance.now() - startedAt > patienceMs) {
      log(`PostgreSQL (pid ${pid}) does not answer: ending it`)
      const postmaster = adoptPostmaster(pid, cluster)
      await stopPostmaster(postmaster, { clusterDir, binaries }, { ...deadlines, fastStopMs: 0 })
      return undefined
    }
    await sleep(50)
  }
}

function wrongPassword(clusterDir: string, pid: number): StartError {
  return new StartError(
    `the PostgreSQL (pid ${pid}) that runs in ${clusterDir} refuses the password in its file usher-password: put the right file back`,
  )
}
