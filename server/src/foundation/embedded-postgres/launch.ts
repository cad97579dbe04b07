import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chown, lchown, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'

const run = promisify(execFile)

/** A way to run PostgreSQL's programs that was seen to work here. */
export interface Launch {
  binaries: Binaries
  clusterDir: string
  /** Whom the cluster's files must belong to; undefined where they are this user's anyway. */
  owner?: Owner
  /** Goes before the program's own path and arguments. */
  prefix: string[]
}

export interface Owner {
  uid: number
  gid: number
}

/** How to run the program under this launch. */
export function commandOf(launch: Launch, file: string, args: string[]) {
  const [first, ...rest] = [...launch.prefix, file, ...args]
  // With a prefix the owner is ourselves, and it is the prefix that changes the user.
  const identity = launch.prefix.length === 0 && launch.owner !== undefined ? launch.owner : {}
  return { file: first ?? file, args: rest, options: { ...identity, cwd: '/', env: environmentOf(launch) } }
}

/** What PostgreSQL needs, and none of Usher's secrets nor PG* variables meant for another server. */
function environmentOf({ binaries }: Launch): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC' }
  const library = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'
  for (const name of ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'HOME', library]) {
    if (process.env[name] !== undefined) env[name] = process.env[name]
  }
  if (binaries.libraryDir !== undefined) {
    // Both: a library that is found by its spare name looks for the ones it needs beside that name.
    const own = join(binaries.packageDir, 'native', 'lib')
    env[library] = [binaries.libraryDir, own, process.env[library]].filter(Boolean).join(':')
  }
  return env
}

/** Gives the cluster's files to whom the launch runs as, where another launch made them. */
export async function handOver({ owner }: Launch, folder: string): Promise<void> {
  if (owner === undefined) return
  const { uid, gid } = owner
  if ((await stat(folder)).uid === uid) return
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid)
  }
  // Last, so that an interrupted walk is made again.
  await chown(folder, uid, gid)
}

/** Runs the program once, and writes a file where the data will be. Gives the launch, or what went wrong. */
export async function verified(launch: Launch): Promise<Launch | string> {
  const probeDir = halfMade(launch.clusterDir)
  const { postgres } = launch.binaries
  await mkdir(probeDir, { mode: 0o700 })
  try {
    await handOver(launch, probeDir)
    const script = '"$0" --version && cd "$1" && : > probe'
    const { file, args, options } =
      process.platform === 'win32'
        ? commandOf(launch, postgres, ['--version'])
        : commandOf(launch, '/bin/sh', ['-c', script, postgres, probeDir])
    await run(file, args, { ...options, timeout: 20_000, windowsHide: true })
    return launch
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string }
    return (stderr?.trim() || message).replaceAll(/\s*\n\s*/g, ' ')
  } finally {
    await rm(probeDir, { recursive: true, force: true })
  }
}

const HALF_MADE = '.init-'

/** A name beside the cluster for what is not a whole cluster yet. */
export function halfMade(clusterDir: string): string {
  return `${clusterDir}${HALF_MADE}${randomUUID()}`
}

/** Removes what killed starts have left half-made. */
export async function removeHalfMade(clusterDir: string): Promise<void> {
  const start = `${basename(clusterDir)}${HALF_MADE}`
  for (const name of await readdir(dirname(clusterDir))) {
    if (!name.startsWith(start)) continue
    // An initdb that has outlived its starter may still be writing there; the next start removes the rest.
    await rm(join(dirname(clusterDir), name), { recursive: true, force: true }).catch(() => {})
  }
}
