import { withDeadline } from '../deadline.ts'
import { type OpenRedis, openRedis, type RedisAddress } from '../redis/index.ts'
import type { Window } from './fixed-windows.ts'

export interface SharedWindows {
  /** Counts a key once; undefined when Redis does not say how often that makes. */
  count(key: string, windowMs: number): Promise<Window | undefined> | undefined
  /** The window that a key is in; its count is 0 when it is in none. */
  find(key: string): Promise<Window | undefined> | undefined
  close(): void
}

/** The first count begins the window, by Redis's clock. One script, so that no key is left without its end. */
const COUNT = `local count = redis.call('incr', KEYS[1])
local left = redis.call('pttl', KEYS[1])
if left < 0 then
  redis.call('pexpire', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return { count, left }`
const FIND = `return { tonumber(redis.call('get', KEYS[1]) or 0), redis.call('pttl', KEYS[1]) }`

const deadlineMs = 250
/** After a failure, how long Redis is not asked. */
const awayMs = 1_000

/** Counts keys in windows that several processes share, in Redis. While it is unreachable or hangs nobody waits: it is
 *  left alone for a second at a time. `tell` is told when that begins, once, and when it is over. */
export function sharedWindows({
  address,
  tell,
  nowMs,
}: {
  address: RedisAddress
  tell: { away(error: Error): void; back(): void }
  nowMs(): number
}): SharedWindows {
  let isAway = false
  let awayUntilMs = Number.NEGATIVE_INFINITY
  let isClosed = false
  const note = (error: Error): void => {
    if (isClosed) return
    awayUntilMs = nowMs() + awayMs
    if (!isAway) tell.away(error)
    isAway = true
  }
  const redis: OpenRedis = openRedis(address, note)

  async function ask(script: string, key: string, ...values: number[]): Promise<Window | undefined> {
    try {
      const reply = await withDeadline(deadlineMs, 'Redis', () =>
        redis.call('eval', script, 1, key, ...values),
      )
      const [count, leftMs] = reply as [number, number]
      if (isAway) tell.back()
      isAway = false
      return { count, endsAtMs: nowMs() + leftMs }
    } catch (error) {
      note(error instanceof Error ? error : new Error(String(error)))
      return undefined
    }
  }
  const canAsk = (): boolean => redis.isReady() && nowMs() >= awayUntilMs

  return {
    count: (key, windowMs) => (canAsk() ? ask(COUNT, key, windowMs) : undefined),
    find: key => (canAsk() ? ask(FIND, key) : undefined),
    close() {
      isClosed = true
      redis.close()
    },
  }
}
