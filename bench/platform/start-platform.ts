import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Child, endChild, hasEnded, startProgram } from '../process/children.ts'
import { findDatabase, type PlatformDatabase } from './find-database.ts'
import { type BenchTenant, writePlatformFile } from './platform-file.ts'
import { openQueueClient, type QueueClient } from './queue-client.ts'

/** The platform as `npm start` runs it, in a process of its own, with one tenant. */
export interface Platform {
  child: Child
  port: number
  tenant: BenchTenant
  database: PlatformDatabase
  /** A consumer of the tenant's queue. */
  queue: QueueClient
  stop(): Promise<void>
}

export interface PlatformOptions {
  /** Holds its data and its platform file; a second start there goes on with the same data. */
  folder: string
  /** For `node` itself. */
  nodeArgs?: readonly string[]
  /** Where it serves its metrics; without it, it has none. */
  metricsPort?: number
  /** A proxy whose X-Forwarded-For it believes. */
  trustedProxy?: string
}

const startTimeoutMs = 60_000
/** It finishes what is in flight and stops its PostgreSQL, which writes a checkpoint. */
const stopTimeoutMs = 60_000
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Starts the platform and waits until its tenant is served. Throws with what it wrote last otherwise. */
export async function startPlatform({
  folder,
  nodeArgs = [],
  metricsPort,
  trustedProxy,
}: PlatformOptions): Promise<Platform> {
  const { file, tenant } = await writePlatformFile(folder, await findFreePort())
  const port = await findFreePort()
  const dataDir = join(folder, 'data')
  const env = {
    ...withoutSettings(process.env),
    USHER_DATA_DIR: dataDir,
    USHER_HOST: '127.0.0.1',
    USHER_PORT: String(port),
    USHER_COLLECT_PER_MINUTE: '0',
    USHER_APPLY: file,
    ...(metricsPort !== undefined && { USHER_METRICS_PORT: String(metricsPort) }),
    ...(trustedProxy !== undefined && { USHER_TRUST_PROXY: trustedProxy }),
  }
  const child = startProgram(process.execPath, [...nodeArgs, 'server/src/main.ts'], {
    env,
    cwd: root,
    patienceMs: stopTimeoutMs,
  })
  const queue = openQueueClient(port, tenant)
  try {
    await waitUntilServed(child, queue)
    const database = await findDatabase(dataDir)
    const stop = async (): Promise<void> => {
      queue.close()
      await endChild(child)
    }
    return { child, port, tenant, database, queue, stop }
  } catch (error) {
    queue.close()
    await endChild(child)
    throw error
  }
}

/** The environment without what would make this another platform than the default one. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^(USHER_|PG[A-Z]+$|NODE_ENV$|NODE_OPTIONS$|npm_config_)/.test(name),
    ),
  )
}

async function waitUntilServed(child: Child, queue: QueueClient): Promise<void> {
  const until = performance.now() + startTimeoutMs
  let last = 'it does not answer'
  while (performance.now() < until) {
    if (hasEnded(child)) throw new Error(`the platform did not start:\n${child.lastLines()}`)
    try {
      const { status, body } = await queue.read(1)
      if (status === 200) return
      last = `its queue answers ${status}: ${body.toString().slice(0, 200)}`
    } catch (error) {
      last = error instanceof Error ? error.message : String(error)
    }
    await delay(200)
  }
  throw new Error(
    `the platform does not serve its tenant after ${startTimeoutMs / 1000} s (${last}):\n${child.lastLines()}`,
  )
}

/** A port that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return address.port
}
