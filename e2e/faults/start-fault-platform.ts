import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPort, type Program, startProgram } from '../start-program.ts'
import { endEmbeddedDatabase } from './embedded-database.ts'
import { type Answer, type Call, openConnection } from './http-connection.ts'
import { writePlatformFile } from './platform-file.ts'

/** The platform in a process of its own, to be killed. */
export interface FaultPlatform {
  port: number
  dataDir: string
  /** What runs now, or ran last. */
  program(): Program
  /** Starts a process on the same port and data; resolves when it answers. */
  start(): Promise<void>
  /** Starts it, and resolves when it has printed such a line. */
  startUntil(line: RegExp): Promise<void>
  /** SIGKILL, which leaves an embedded PostgreSQL behind. */
  kill(): Promise<void>
  /** SIGTERM; the exit code. Throws when it has not ended within `withinMs`. */
  stop(withinMs?: number): Promise<number | NodeJS.Signals | null>
  /** Sends one request over a connection of its own. */
  call(call: Call): Promise<Answer>
  /** Ends everything and removes its data. */
  close(): Promise<void>
}

const startedLine = /^Usher answers at /

/** Prepares a platform with the tenants acme and globe, and does not start it. `env` wins over the defaults. */
export async function prepareFaultPlatform(env: Record<string, string> = {}): Promise<FaultPlatform> {
  const folder = await mkdtemp(join(tmpdir(), 'usher-faults-'))
  const dataDir = env.USHER_DATA_DIR ?? join(folder, 'data')
  await mkdir(dataDir, { recursive: true })
  const port = await findPort()
  const settings = {
    USHER_PORT: `${port}`,
    USHER_DATA_DIR: dataDir,
    USHER_COLLECT_PER_MINUTE: '0',
    USHER_APPLY: await writePlatformFile(folder),
    ...env,
  }
  let program: Program | undefined

  function running(): Program {
    if (!program) throw new Error('The platform was not started yet.')
    return program
  }
  async function startUntil(line: RegExp): Promise<void> {
    program = startProgram('server/src/main.ts', settings)
    await program.line(line)
  }
  async function stop(withinMs = 20_000): Promise<number | NodeJS.Signals | null> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error(`the platform did not end within ${withinMs} ms of SIGTERM`)),
      withinMs,
    )
    return Promise.race([running().end('SIGTERM'), late.promise]).finally(() => clearTimeout(timer))
  }

  return {
    port,
    dataDir,
    program: running,
    startUntil,
    start: () => startUntil(startedLine),
    async kill() {
      await running().end('SIGKILL')
    },
    stop,
    async call(call) {
      const connection = openConnection(port)
      try {
        return await connection.send(call)
      } finally {
        connection.close()
      }
    },
    async close() {
      if (program) await stop().catch(() => program?.end('SIGKILL'))
      await endEmbeddedDatabase(dataDir)
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** The same, started. */
export async function startFaultPlatform(env: Record<string, string> = {}): Promise<FaultPlatform> {
  const platform = await prepareFaultPlatform(env)
  try {
    await platform.start()
  } catch (error) {
    await platform.close()
    throw error
  }
  return platform
}
