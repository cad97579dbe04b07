import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { clearLeftovers, clusterName, isClusterProcess, sendSignal } from './cluster-processes.ts'
import { type Answer, createDatabase, tryConnect } from './connection.ts'
import { databaseUrl, type Endpoint } from './endpoint.ts'
import { commandOf, type Launch } from './launch.ts'
import type { ServerLog } from './server-log.ts'
import { serverArguments } from './server-settings.ts'

const run = promisify(execFile)

/** A server process that answers, our child or one that an earlier process started. */
export interface Postmaster {
  pid: number
  isRunning(): Promise<boolean>
  /** Resolves when the process has ended, with how. */
  ended: Promise<string>
}

export interface Deadlines {
  /** How long a server may give no answer at all. */
  silentMs: number
  /** How long it may say that it is starting, recovering or stopping. */
  busyMs: number
  /** How long a fast shutdown may take, with its checkpoint, before an immediate one. */
  fastStopMs: number
  /** How long an immediate one may take before SIGKILL. */
  immediateStopMs: number
}

/** Recovery reads at most `max_wal_size`, a few minutes on a slow disk. */
export const DEADLINES: Deadlines = {
  silentMs: 30_000,
  busyMs: 600_000,
  fastStopMs: 15_000,
  immediateStopMs: 5_000,
}

/** The server ended while it was starting, or did not answer in time; `reason` is one line. */
export class ServerStartFailure extends Error {
  override name = 'ServerStartFailure'
}

export interface StartContext {
  launch: Launch
  endpoint: Endpoint
  password: string
  settings: Record<string, string>
  serverLog: ServerLog
  deadlines: Deadlines
  log: (line: string) => void
  /** Gives the start up, e.g. during a long recovery. */
  signal: AbortSignal
}

/**
 * Starts the server and waits until the database answers. It is a process group of its own, so that Ctrl-C
 * in a terminal reaches Usher alone, which still has things to write. Throws a ServerStartFailure.
 */
export async function startPostmaster(context: StartContext): Promise<Postmaster> {
  const { launch, endpoint, settings, serverLog } = context
  await clearLeftovers(launch.clusterDir)
  const cluster = await clusterName(launch.clusterDir)
  const fromBytes = await serverLog.sizeBytes()
  const output = await open(serverLog.file, 'a', 0o600)
  let child: ChildProcess
  try {
    const args = serverArguments(launch.clusterDir, cluster, endpoint, settings)
    const command = commandOf(launch, launch.binaries.postgres, args)
    child = spawn(command.file, command.args, {
      ...command.options,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', output.fd, output.fd],
    })
  } finally {
    await output.close()
  }
  child.unref()
  let end: string | undefined
  const ended = new Promise<string>(resolve => {
    const finish = (how: string) => {
      end ??= how
      resolve(how)
    }
    child.once('error', error => finish(error.message))
    child.once('exit', (code, name) => finish(name ?? `exit code ${code}`))
  })
  const postmaster = { pid: child.pid ?? 0, ended, isRunning: async () => end === undefined }
  const answer = await waitForAnswer(context, postmaster)
  if (answer === 'ready' && end === undefined) return postmaster
  if (end === undefined) {
    await stopPostmaster(postmaster, launch, context.deadlines)
    const what =
      answer === 'denied' ? 'it refuses the password in usher-password' : 'it did not answer in time'
    throw new ServerStartFailure(`${what} (see ${serverLog.file})`)
  }
  throw new ServerStartFailure(`${(await serverLog.lastWords(fromBytes)) || end} (see ${serverLog.file})`)
}

/** Asks until the database is ready or the server has ended; makes the database at the first start. */
async function waitForAnswer(context: StartContext, server: Postmaster): Promise<Answer | undefined> {
  const { endpoint, password, deadlines, log, signal } = context
  const url = databaseUrl(endpoint, password)
  const startedAt = performance.now()
  let toldAt = startedAt
  let answer: Answer | undefined
  while (!signal.aborted && (await server.isRunning())) {
    answer = await tryConnect(url, 2_000)
    if (answer === 'ready') return answer
    if (answer === 'no-database') {
      await createDatabase(endpoint, password)
      return 'ready'
    }
    const now = performance.now()
    const patienceMs = { starting: deadlines.busyMs, silent: deadlines.silentMs, denied: 1_000 }[answer]
    if (now - startedAt > patienceMs) return answer
    if (now - toldAt > 10_000) {
      toldAt = now
      log('PostgreSQL is still starting; after a crash it first reads back what was last written')
    }
    await sleep(20)
  }
  return answer
}

/** A server that we did not start: no one tells us of its end, so we look. */
export function adoptPostmaster(pid: number, cluster: string): Postmaster {
  const isRunning = () => isClusterProcess(pid, cluster)
  const ended = (async () => {
    while (await isRunning()) await sleep(250, undefined, { ref: false })
    return 'ended'
  })()
  return { pid, ended, isRunning }
}

/** Fast shutdown; immediate past the deadline, which costs the next start a recovery but no data. */
export async function stopPostmaster(
  postmaster: Postmaster,
  launch: Pick<Launch, 'clusterDir' | 'binaries'>,
  deadlines: Deadlines,
): Promise<void> {
  const steps = [
    { name: 'SIGINT', mode: 'fast', timeoutMs: deadlines.fastStopMs },
    { name: 'SIGQUIT', mode: 'immediate', timeoutMs: deadlines.immediateStopMs },
    { name: 'SIGKILL', mode: 'immediate', timeoutMs: deadlines.immediateStopMs },
  ] as const
  for (const { name, mode, timeoutMs } of steps) {
    if (!(await postmaster.isRunning())) return
    // Windows has no signals; there pg_ctl speaks to the server through a pipe.
    if (process.platform === 'win32') {
      await run(launch.binaries.pgCtl, ['stop', '-W', '-m', mode, '-D', launch.clusterDir]).catch(() => {})
    } else sendSignal(postmaster.pid, name)
    const until = performance.now() + timeoutMs
    while (performance.now() < until && (await postmaster.isRunning())) await sleep(20)
  }
}
