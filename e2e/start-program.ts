import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { within } from './within.ts'

/** Longer than anything takes on a machine that is busy, and shorter than a hook waits: what does not come has to be told by
 *  who waits for it. */
const patienceMs = 45_000

const root = fileURLToPath(new URL('..', import.meta.url))

export interface Program {
  pid: number
  /** Everything that it has printed, a line each. */
  lines: string[]
  /** Waits for a line, also one that was printed already. Throws when the program ends without it, or does not print it
   *  within 45 seconds. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  /** The exit code, or the signal that ended it. */
  over: Promise<number | NodeJS.Signals | null>
  /** Waits for its end by itself. Throws when that takes longer than 45 seconds. */
  finish(): Promise<number | NodeJS.Signals | null>
  /** Sends a signal and waits for the end. What does not end within 45 seconds is killed, and an error. */
  end(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

/** Starts a file of the project as a process of its own, as a user does. */
export function startProgram(
  file: string,
  env: Record<string, string>,
  { args = [], node = process.execPath }: { args?: readonly string[]; node?: string } = {},
): Program {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const child = spawn(node, [file, ...args], {
    cwd: root,
    env: { PATH, HOME, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const look = () => {
    for (const wake of waiting) wake()
  }
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', line => {
      lines.push(line)
      look()
    })
  }
  let isOver = false
  const over = once(child, 'close').then(() => {
    isOver = true
    look()
    return child.exitCode ?? child.signalCode
  })
  const said = () => (lines.length > 0 ? `. It printed:\n${lines.join('\n')}` : ', and printed nothing')
  const inTime = <T>(what: string, comes: Promise<T>): Promise<T> =>
    within(patienceMs, () => `${file} ${what}${said()}`, comes)
  return {
    pid: child.pid ?? 0,
    lines,
    over,
    line(pattern) {
      const found = Promise.withResolvers<RegExpExecArray>()
      const wake = () => {
        const match = lines.map(line => pattern.exec(line)).find(one => one !== null)
        if (match) found.resolve(match)
        else if (isOver) found.reject(new Error(`${file} ended without a line like ${pattern}${said()}`))
      }
      waiting.add(wake)
      wake()
      return inTime(`prints a line like ${pattern}`, found.promise).finally(() => waiting.delete(wake))
    },
    finish: () => inTime('ends', over),
    async end(signal = 'SIGTERM') {
      child.kill(signal)
      try {
        return await inTime(`ends after ${signal}`, over)
      } catch (error) {
        child.kill('SIGKILL')
        throw error
      }
    },
  }
}

/** A port that was free a moment ago. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || !address) throw new Error('The system gave no port.')
  return address.port
}
