import { createHmac } from 'node:crypto'
import type { RedisAddress } from '../redis/index.ts'
import { fixedWindows, type Window } from './fixed-windows.ts'
import { sharedWindows } from './shared-windows.ts'

/** How often something may be done in a window of time. An answer comes at once where this process counts, and as a
 *  promise, which never rejects, where Redis is asked. */
export interface RateLimit {
  /** Counts a key once. Answers the whole seconds to wait when that was one too many, else 0. */
  count(key: string): number | Promise<number>
  /** The whole seconds to wait when one more would be too many, else 0. Counts nothing. */
  wait(key: string): number | Promise<number>
}

export interface RateLimitOptions {
  /** Tells its keys from those of other limits. */
  name: string
  /** The first too many is the one after so many. */
  most: number
  /** A window begins with its first count. */
  windowS: number
}

export interface RateLimits {
  limit(options: RateLimitOptions): RateLimit
  close(): void
}

/** Most windows of one limit that this process remembers. */
const maxKeys = 200_000

const secondsUntil = (endsAtMs: number, now: number): number =>
  Math.max(1, Math.ceil((endsAtMs - now) / 1_000))

/** Limits with fixed windows: of this process alone, or with Redis of all that share it (docs/adr/0016). While Redis is
 *  away this process goes on counting where it last knew the window to be. `markKey` makes the HMAC by which Redis
 *  knows a key: it never sees an address or a token. */
export function openRateLimits({
  redis,
  markKey,
  tell,
  nowMs = () => performance.now(),
}: {
  redis?: RedisAddress | undefined
  markKey: Buffer
  /** Told once when the limits are no longer shared, and when they are again. */
  tell: { away(error: Error): void; back(): void }
  /** Milliseconds, of any clock. */
  nowMs?: () => number
}): RateLimits {
  const shared = redis && sharedWindows({ address: redis, tell, nowMs })
  const mark = (name: string, key: string): string =>
    `usher:limit:${name}:${createHmac('sha256', markKey).update(`${name} ${key}`).digest('base64url')}`

  return {
    limit({ name, most, windowS }) {
      const windowMs = windowS * 1_000
      const own = fixedWindows({ windowMs, maxKeys, nowMs })
      const verdict = ({ count, endsAtMs }: Window): number =>
        count > most ? secondsUntil(endsAtMs, nowMs()) : 0
      /** The seconds to wait by what this process knows, which what others count can only make longer. */
      const known = (key: string): number => {
        const window = own.find(key)
        return window && window.count >= most ? secondsUntil(window.endsAtMs, nowMs()) : 0
      }
      return {
        count(key) {
          const waitS = known(key)
          if (waitS > 0) return waitS
          const asked = shared?.count(mark(name, key), windowMs)
          if (!asked) return verdict(own.count(key))
          return asked.then(window => {
            if (!window) return verdict(own.count(key))
            own.put(key, window)
            return verdict(window)
          })
        },
        wait(key) {
          const waitS = known(key)
          if (waitS > 0) return waitS
          const asked = shared?.find(mark(name, key))
          if (!asked) return 0
          return asked.then(window =>
            window && window.count >= most ? secondsUntil(window.endsAtMs, nowMs()) : 0,
          )
        },
      }
    },
    close: () => shared?.close(),
  }
}
