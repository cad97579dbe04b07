import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** A process that the bench started, and what it wrote last. */
export interface Child {
  pid: number
  process: ChildProcess
  /** How long it may take to end by itself. */
  patienceMs: number
  firstLines(): string
  lastLines(): string
}

const running = new Set<Child>()
const keptCharacters = 4_000

function watch(process: ChildProcess, name: string, patienceMs = 5_000): Child {
  // What fails is noticed where it matters: here when it cannot be started, later where an answer is awaited.
  process.on('error', () => {})
  if (process.pid === undefined) throw new Error(`${name} could not be started`)
  let first = ''
  let last = ''
  const keep = (chunk: Buffer): void => {
    if (first.length < keptCharacters) first += chunk.toString()
    last = (last + chunk.toString()).slice(-keptCharacters)
  }
  process.stdout?.on('data', keep)
  process.stderr?.on('data', keep)
  const child: Child = {
    pid: process.pid,
    process,
    patienceMs,
    firstLines: () => first,
    lastLines: () => last.trim(),
  }
  running.add(child)
  process.once('exit', () => running.delete(child))
  return child
}

// Each in a process group of its own: a Ctrl-C reaches the bench alone, which then ends them in order.
const common = { detached: true, stdio: ['ignore', 'pipe', 'pipe'] as const }

/** Starts a program. */
export function startProgram(
  program: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string; patienceMs?: number } = {},
): Child {
  const { env = process.env, cwd, patienceMs } = options
  const started = spawn(program, args, { ...common, stdio: [...common.stdio], env, ...(cwd && { cwd }) })
  return watch(started, program, patienceMs)
}

/** Starts one of our own programs that is told by messages what to do. */
export function startWorker(file: URL): Child {
  const options = { ...common, stdio: [...common.stdio, 'ipc' as const], serialization: 'advanced' as const }
  return watch(fork(file, [], options), file.pathname)
}

/** The next message of a worker. Throws with what it wrote last when it ends instead, or is too late. */
export async function nextMessage<T>(child: Child, timeoutMs: number): Promise<T> {
  if (hasEnded(child)) throw new Error(`a process of the bench has ended: ${child.lastLines()}`)
  const ending = new AbortController()
  const { signal } = ending
  try {
    return await Promise.race([
      once(child.process, 'message', { signal }).then(([message]) => message as T),
      once(child.process, 'exit', { signal }).then(([code]) => {
        throw new Error(`a process of the bench ended with ${code}: ${child.lastLines()}`)
      }),
      delay(timeoutMs, undefined, { signal }).then(() => {
        throw new Error(`a process of the bench said nothing for ${timeoutMs / 1000} s: ${child.lastLines()}`)
      }),
    ])
  } finally {
    ending.abort()
  }
}

/** Whether a process is no longer there. */
export function hasEnded({ process }: Child): boolean {
  return process.exitCode !== null || process.signalCode !== null
}

/** Ends a process and waits for it: SIGTERM first, SIGKILL when it takes too long. */
export async function endChild(child: Child): Promise<void> {
  if (hasEnded(child)) return
  const { process, patienceMs } = child
  const exited = once(process, 'exit')
  process.kill('SIGTERM')
  const timeUp = new AbortController()
  const late = delay(patienceMs, 'late' as const, { signal: timeUp.signal }).catch(() => undefined)
  if ((await Promise.race([exited, late])) === 'late') {
    process.kill('SIGKILL')
    await exited
  }
  timeUp.abort()
}

/** Ends all that still run, newest first. */
export async function endAllChildren(): Promise<void> {
  for (const child of [...running].reverse()) await endChild(child)
}
