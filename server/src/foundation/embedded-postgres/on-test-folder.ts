import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterAll, onTestFinished } from 'vitest'
import { clearLeftovers } from './cluster-processes.ts'
import { type EmbeddedPostgres, type Surroundings, startEmbeddedPostgres } from './start-embedded-postgres.ts'

/** A new folder for the running test; servers that the test leaves in it are ended. */
export async function makeTestFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'usher-pg-'))
  onTestFinished(async () => {
    await clearLeftovers(join(folder, 'postgres')).catch(() => undefined)
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

let used: string | undefined

afterAll(async () => {
  if (used !== undefined) await rm(used, { recursive: true, force: true })
})

/**
 * A data folder, of mode 0700, in which a first start has been and a table made. One for the test file, as making it is
 * the slow part: a test leaves it so that the next can start there, but need not stop its servers.
 */
export async function useMadeFolder(): Promise<string> {
  if (used === undefined) {
    used = await mkdtemp(join(tmpdir(), 'usher-pg-'))
    const { url, stop } = await startEmbeddedPostgres({ dataDir: used, settings: { fsync: 'off' } })
    await query(url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await stop()
  }
  const folder = used
  onTestFinished(() => clearLeftovers(join(folder, 'postgres')))
  return folder
}

/** Starts, and stops at the end of the test. */
export async function start(
  dataDir: string,
  surroundings?: Partial<Surroundings>,
): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir }, surroundings)
  onTestFinished(() => postgres.stop())
  return postgres
}

/** What a process of its own said about its start on the folder. */
export interface Holder {
  child: ChildProcess
  url: string
  pid: number
  adopted: boolean
  error: string
  exited: Promise<number | null>
}

export interface HolderOptions {
  env?: NodeJS.ProcessEnv
  /** Goes before the command. */
  prefix?: string[]
}

/** Starts a process that is to hold the folder. */
export function startHolder(dataDir: string, { env = process.env, prefix = [] }: HolderOptions = {}) {
  const script = join(import.meta.dirname, 'hold-data-folder.ts')
  const [file = '', ...args] = [...prefix, process.execPath, script, dataDir]
  // A process group of its own, as a terminal gives to each command.
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = new Promise<number | null>(resolve => {
    child.once('exit', resolve)
  })
  return { child, exited }
}

/** The same, and waits until it has said how its start went. */
export async function holdInChild(dataDir: string, options: HolderOptions = {}): Promise<Holder> {
  const { child, exited } = startHolder(dataDir, options)
  const lines = createInterface({ input: child.stdout })
  const line = await new Promise<string>(resolve => {
    lines.once('line', resolve)
    lines.once('close', () => resolve('{}'))
  })
  return { child, exited, ...JSON.parse(line) }
}

/** Runs one statement on a connection of its own. */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
