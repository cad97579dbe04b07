import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterAll, onTestFinished } from 'vitest'
import { clearLeftovers } from './cluster-processes.ts'
import { type EmbeddedPostgres, type Surroundings, startEmbeddedPostgres } from './start-embedded-postgres.ts'

function works(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

export const isRoot = process.getuid?.() === 0
export const canMakeUserNamespace = works('unshare', ['--user', 'true'])
export const canMakeMountNamespace = isRoot && works('unshare', ['--mount', 'true'])

/** Instead of a folder in /var, for the tests of this file. */
const sharedDir = await makeFolder(0o755)

/** Root without user namespaces needs folders that another user may enter. */
const CLOSED_MODE = isRoot && !canMakeUserNamespace ? 0o755 : 0o700

async function makeFolder(mode: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'usher-pg-'))
  await chmod(folder, mode)
  return folder
}

/** A new folder for the running test; servers that the test leaves in it are ended. */
export async function makeTestFolder(): Promise<string> {
  const folder = await makeFolder(CLOSED_MODE)
  onTestFinished(async () => {
    await clearLeftovers(join(folder, 'postgres')).catch(() => undefined)
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

let used: string | undefined

afterAll(async () => {
  await rm(sharedDir, { recursive: true, force: true })
  if (used !== undefined) await rm(used, { recursive: true, force: true })
})

/**
 * A data folder in which a first start has been and a table made. One for the test file, as making it is
 * the slow part: a test leaves it so that the next can start there, but need not stop its servers.
 */
export async function useMadeFolder(): Promise<string> {
  if (used === undefined) {
    used = await makeFolder(CLOSED_MODE)
    const { url, stop } = await startEmbeddedPostgres(
      { dataDir: used, settings: { fsync: 'off' } },
      { sharedDir },
    )
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
  surroundings: Partial<Surroundings> = {},
  log: (line: string) => void = () => {},
): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, log }, { sharedDir, ...surroundings })
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
  const [file = '', ...args] = [...prefix, process.execPath, script, dataDir, sharedDir]
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
