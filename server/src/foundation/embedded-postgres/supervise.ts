import { setTimeout as sleep } from 'node:timers/promises'
import type { Postmaster } from './postmaster.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000

/** A server that has answered for this long did not die of its start, so the next pause is the first again. Half of
 *  the longest pause: one that dies every few seconds is away for less time than it is there. */
const STEADY_MS = 5_000

const LOG_CHECK_MS = 60_000

export interface Supervised {
  pid(): number
  /** Ends the supervision; resolves with the server that runs, if one does. */
  release(): Promise<Postmaster | undefined>
}

export interface SuperviseOptions {
  first: Postmaster
  /** Starts the next server, at the same address. */
  start: (signal: AbortSignal) => Promise<Postmaster>
  limitLog: () => Promise<void>
  log: (line: string) => void
  clock?: Clock
}

interface Clock {
  nowMs(): number
  /** Throws when the signal comes first. */
  pause(ms: number, signal: AbortSignal): Promise<void>
}

const realClock: Clock = {
  nowMs: () => performance.now(),
  pause: (ms, signal) => sleep(ms, undefined, { signal }),
}

/** Starts the server again whenever it ends, with pauses that grow while it does not stay. */
export function supervise({ first, start, limitLog, log, clock = realClock }: SuperviseOptions): Supervised {
  const stopping = new AbortController()
  let current: Postmaster | undefined = first
  let pid = first.pid
  let pauseMs = FIRST_PAUSE_MS

  async function startAgain(): Promise<Postmaster | undefined> {
    while (!stopping.signal.aborted) {
      try {
        await clock.pause(pauseMs, stopping.signal)
      } catch {
        return undefined
      }
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      try {
        return await start(stopping.signal)
      } catch (error) {
        if (!stopping.signal.aborted) log(`PostgreSQL did not start again: ${(error as Error).message}`)
      }
    }
    return undefined
  }

  async function watch(): Promise<void> {
    while (current !== undefined) {
      const startedAtMs = clock.nowMs()
      const how = await Promise.race([current.ended, released])
      if (stopping.signal.aborted) return
      if (clock.nowMs() - startedAtMs >= STEADY_MS) pauseMs = FIRST_PAUSE_MS
      log(`PostgreSQL (pid ${current.pid}) has ended (${how}): starting it again`)
      current = await startAgain()
      if (current === undefined) return
      pid = current.pid
      log(`PostgreSQL runs again (pid ${pid})`)
    }
  }

  const released = new Promise<void>(resolve => {
    stopping.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const watching = watch()
  const logTimer = setInterval(() => {
    limitLog().catch(error =>
      log(`the log of PostgreSQL could not be shortened: ${(error as Error).message}`),
    )
  }, LOG_CHECK_MS).unref()

  return {
    pid: () => pid,
    async release() {
      clearInterval(logTimer)
      stopping.abort()
      await watching
      return current
    },
  }
}
