import { isDatabaseUnavailable } from './database/index.ts'
import { unavailable } from './http/index.ts'

/** What a look-up found last; `value` undefined when there is nothing. */
export interface LastFound<V> {
  value: V | undefined
  /** When, in Unix milliseconds. */
  at: number
}

/** What several look-ups know of their database: until when (Unix milliseconds) none asks it, because one
 *  failed to reach it. So a request that needs two of them waits for one deadline only. */
export interface Reachability {
  awayUntil: number
}

export interface LookupOptions<V> {
  /** Looks many keys up at once; a key without a value is left out of the answer. */
  loadMany(keys: readonly string[]): Promise<ReadonlyMap<string, V>>
  /** An entry older than this is looked up again, in the background while it still serves. */
  refreshAfterMs: number
  /** An entry older than this does not serve before it was looked up again. */
  expireAfterMs: number
  /** Most entries kept with a value, and most kept without one: the latter is what strangers fill. */
  maxEntries: number
  /** How long a caller waits for the database. */
  deadlineMs: number
  reachability: Reachability
  nowMs(): number
}

export interface Lookups<V> {
  /** What is known and recent, at once; undefined when the database must be asked. */
  recent(key: string): LastFound<V> | undefined
  /** Asks the database. Throws 503 when it cannot be reached, at once while it is known to be away. With `fresh`, by a
   *  statement that begins after this call, and so sees all that was committed before it. */
  load(key: string, options?: { fresh?: boolean }): Promise<V | undefined>
  /** What was found last, however long ago. */
  last(key: string): LastFound<V> | undefined
  /** Has every key looked up again before it serves. */
  invalidate(): void
}

/** After a look-up that failed for want of the database, how long none is tried. */
const AWAY_MS = 1_000
/** Most keys of one statement. */
const MAX_BATCH = 500
/** Most keys that wait for a statement: who invents hosts or tokens cannot pile up more. */
const MAX_WAITING = 10_000

interface Entry<V> extends LastFound<V> {
  epoch: number
}

/** A bounded cache in front of a look-up in the database. At most one statement is in flight, and what
 *  is asked meanwhile goes into the next, so that a flood of unknown keys takes one connection. */
export function createLookups<V>(options: LookupOptions<V>): Lookups<V> {
  type Asked = PromiseWithResolvers<V | undefined>
  const { nowMs, reachability } = options
  const present = new Map<string, Entry<V>>()
  const absent = new Map<string, Entry<V>>()
  // Rises with each invalidation: what was asked for before it is not recent after it.
  let epoch = 0
  let running: { epoch: number; asked: Map<string, Asked> } | undefined
  const waiting = new Map<string, Asked>()

  const last = (key: string): Entry<V> | undefined => present.get(key) ?? absent.get(key)

  function keep(key: string, entry: Entry<V>): void {
    present.delete(key)
    absent.delete(key)
    const entries = entry.value === undefined ? absent : present
    entries.set(key, entry)
    if (entries.size <= options.maxEntries) return
    const oldest = entries.keys().next()
    if (!oldest.done) entries.delete(oldest.value)
  }

  async function runWaiting(): Promise<void> {
    while (waiting.size > 0) {
      const asked = new Map(waiting.entries().take(MAX_BATCH))
      for (const key of asked.keys()) waiting.delete(key)
      running = { epoch, asked }
      const begun = epoch
      try {
        const found = await options.loadMany([...asked.keys()])
        reachability.awayUntil = 0
        for (const [key, { resolve }] of asked) {
          const value = found.get(key)
          keep(key, { value, at: nowMs(), epoch: begun })
          resolve(value)
        }
      } catch (error) {
        const away = isDatabaseUnavailable(error)
        if (away) reachability.awayUntil = nowMs() + AWAY_MS
        const failure = away
          ? unavailable('The database cannot be reached. Try again shortly.', error)
          : error
        for (const { reject } of asked.values()) reject(failure)
      }
    }
    running = undefined
  }

  /** Resolves with what a statement that began after the last invalidation says, or with `fresh` after this call. */
  function ask(key: string, fresh = false): Promise<V | undefined> {
    const joined =
      (!fresh && running?.epoch === epoch ? running.asked.get(key) : undefined) ?? waiting.get(key)
    if (joined) return joined.promise
    if (waiting.size >= MAX_WAITING)
      return Promise.reject(unavailable('Too many look-ups wait. Try again shortly.'))
    const asked = Promise.withResolvers<V | undefined>()
    // A caller may have given up by the time it fails.
    asked.promise.catch(() => {})
    waiting.set(key, asked)
    if (running === undefined) void runWaiting()
    return asked.promise
  }

  return {
    recent(key) {
      const entry = last(key)
      if (entry === undefined || entry.epoch !== epoch) return undefined
      const now = nowMs()
      if (now - entry.at >= options.expireAfterMs) return undefined
      if (now - entry.at >= options.refreshAfterMs && now >= reachability.awayUntil) ask(key).catch(() => {})
      return entry
    },
    async load(key, { fresh = false } = {}) {
      if (nowMs() < reachability.awayUntil)
        throw unavailable('The database cannot be reached. Try again shortly.')
      const late = Promise.withResolvers<never>()
      const timer = setTimeout(() => {
        reachability.awayUntil = nowMs() + AWAY_MS
        late.reject(unavailable('The database does not answer. Try again shortly.'))
      }, options.deadlineMs)
      return Promise.race([ask(key, fresh), late.promise]).finally(() => clearTimeout(timer))
    },
    last,
    invalidate() {
      epoch++
      reachability.awayUntil = 0
    },
  }
}
