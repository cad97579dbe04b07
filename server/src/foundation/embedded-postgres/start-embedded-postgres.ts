import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../start-error.ts'
import { findBinaries } from './binaries.ts'
import { findPassword, locateCluster } from './cluster-files.ts'
import {
  explainFolderError,
  makeFolder,
  noSpaceLeft,
  openDataFolder,
  saysNoSpaceLeft,
} from './data-folder.ts'
import { chooseEndpoint, databaseUrl, type Endpoint } from './endpoint.ts'
import { findLeftServer } from './find-left-server.ts'
import { type FolderLock, takeFolderLock } from './folder-lock.ts'
import type { Launch } from './launch.ts'
import { chooseLaunch, LAUNCH_STRATEGIES, type LaunchStrategy } from './launch-strategies.ts'
import {
  DEADLINES,
  type Deadlines,
  type Postmaster,
  ServerStartFailure,
  startPostmaster,
  stopPostmaster,
} from './postmaster.ts'
import { prepareCluster, refuseForeignCluster } from './prepare-cluster.ts'
import { openServerLog } from './server-log.ts'
import { supervise } from './supervise.ts'

/** A PostgreSQL server that runs for this process and comes back by itself, at the same URL, when it dies. */
export interface EmbeddedPostgres {
  /** Of the database `usher`, in a form that `pg` and libpq read. */
  readonly url: string
  /** Of the server's process; another one after the server had to be started again. */
  readonly pid: number
  /** Whether the server was already running, left behind by a process that was killed. */
  readonly adopted: boolean
  /** Ends the server (also an adopted one) and gives the data folder back. Can be called again. */
  stop(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  dataDir: string
  /** More settings of PostgreSQL, name to value; they win over the defaults. An adopted server keeps its own. */
  settings?: Record<string, string>
  log?: (line: string) => void
}

/** What depends on the machine, and is another in tests. */
export interface Surroundings {
  strategies: LaunchStrategy[]
  sharedDir: string
  deadlines: Deadlines
}

const SURROUNDINGS: Surroundings = {
  strategies: LAUNCH_STRATEGIES,
  sharedDir: '/var/lib/usher-postgres',
  deadlines: DEADLINES,
}

/**
 * Starts the PostgreSQL that Usher brings along on the data folder, and makes the database at the first start. Adopts
 * a server that a killed process left there. Throws a StartError where it cannot: the folder is in use,
 * unwritable, full or of another version, or no way to run PostgreSQL works here.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
  surroundings: Partial<Surroundings> = {},
): Promise<EmbeddedPostgres> {
  const dataDir = await openDataFolder(options.dataDir)
  const locks = [await takeFolderLock(dataDir)]
  try {
    return await startLocked(dataDir, locks, options, { ...SURROUNDINGS, ...surroundings })
  } catch (error) {
    for (const lock of locks) await lock.release()
    throw explain(error, dataDir)
  }
}

async function startLocked(
  dataDir: string,
  locks: FolderLock[],
  { settings = {}, log = () => {} }: EmbeddedPostgresOptions,
  { strategies, sharedDir, deadlines }: Surroundings,
): Promise<EmbeddedPostgres> {
  let clusterDir = await locateCluster(dataDir)
  const binaries = await findBinaries(dataDir)
  await lockElsewhere(dataDir, clusterDir, locks)
  await refuseForeignCluster(clusterDir, binaries)
  const left = await findLeftServer(clusterDir, binaries, deadlines, log)
  const serverLog = await openServerLog(dataDir, left !== undefined)

  let launch: Launch | undefined
  async function prepare(): Promise<Launch> {
    if (launch !== undefined) return launch
    const chosen = await chooseLaunch(strategies, { binaries, dataDir, clusterDir, sharedDir })
    if (chosen.clusterDir !== clusterDir) await lockElsewhere(dataDir, chosen.clusterDir, locks)
    clusterDir = chosen.clusterDir
    await prepareCluster(chosen, settings.fsync !== 'off')
    launch = chosen
    return launch
  }
  async function start(endpoint: Endpoint, signal: AbortSignal): Promise<Postmaster> {
    const context = { launch: await prepare(), password: await getPassword(clusterDir), endpoint }
    return startPostmaster({ ...context, settings, serverLog, deadlines, log, signal })
  }

  const first = left ?? (await startFirst((await prepare()).clusterDir, start))
  const { endpoint } = first
  if (left) log(`adopted the PostgreSQL (pid ${left.postmaster.pid}) that an earlier process left behind`)
  const supervised = supervise({
    first: first.postmaster,
    start: signal => start(endpoint, signal),
    limitLog: serverLog.limit,
    log,
  })
  const url = databaseUrl(endpoint, await getPassword(clusterDir))
  let stopped: Promise<void> | undefined

  async function stop(): Promise<void> {
    try {
      const postmaster = await supervised.release()
      if (postmaster) await stopPostmaster(postmaster, { clusterDir, binaries }, deadlines)
    } finally {
      for (const lock of locks) await lock.release()
    }
  }

  return {
    url,
    adopted: left !== undefined,
    get pid() {
      return supervised.pid()
    },
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

interface FirstServer {
  postmaster: Postmaster
  endpoint: Endpoint
}

/** A port that was free may be taken in the meantime, and shared memory be held by what is just ending. */
async function startFirst(
  clusterDir: string,
  start: (endpoint: Endpoint, signal: AbortSignal) => Promise<Postmaster>,
): Promise<FirstServer> {
  for (let attempt = 1; ; attempt++) {
    const endpoint = await chooseEndpoint(clusterDir)
    try {
      return { endpoint, postmaster: await start(endpoint, new AbortController().signal) }
    } catch (error) {
      const passes =
        error instanceof ServerStartFailure && /still in use|Address already in use/.test(error.message)
      if (!passes || attempt === 5) throw error
      await sleep(500)
    }
  }
}

/** A cluster outside the data folder has a lock of its own: a copy of the data folder names the same cluster. */
async function lockElsewhere(dataDir: string, clusterDir: string, locks: FolderLock[]): Promise<void> {
  const folder = dirname(clusterDir)
  if (folder === dataDir) return
  await makeFolder(folder)
  locks.push(await takeFolderLock(folder))
}

async function getPassword(clusterDir: string): Promise<string> {
  const password = await findPassword(clusterDir)
  if (password === undefined) throw new StartError(`the database in ${clusterDir} is gone: start Usher again`)
  return password
}

function explain(error: unknown, dataDir: string): unknown {
  if (!(error instanceof ServerStartFailure)) return explainFolderError(error, dataDir)
  if (saysNoSpaceLeft(error.message)) return noSpaceLeft(dataDir, error)
  return new StartError(`PostgreSQL did not start: ${error.message}`, { cause: error })
}
