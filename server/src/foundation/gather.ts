import { classifyDatabaseError } from './database/index.ts'
import { unavailable } from './http/index.ts'

export interface GatherOptions<Item, Result> {
  /** Does all items, of any tenants, in one statement, and answers a result for each in their order. One statement,
   *  because after bad data its parts are run again. */
  run(items: readonly Item[]): Promise<readonly Result[]>
  /** Most statements at once. */
  maxStatements?: number
  /** Most items of a statement. */
  maxItems?: number
  /** Most items that wait for one. */
  maxWaiting?: number
  /** How long an item waits for its statement to begin. */
  maxWaitMs?: number
}

interface Waiting<Item, Result> extends PromiseWithResolvers<Result> {
  item: Item
  sinceMs: number
}

/** Makes one call of many: while statements are under way, what is asked for gathers into the next one (a group commit,
 *  with no timer). A statement begins after each of its items was asked for, so it sees what was committed before.
 *
 *  Each caller gets its own item's result. An error that one item can bring about (bad data, a deadlock) parts the
 *  statement in halves, down to that item, so that it cannot fail its neighbours; any other reaches every caller of the
 *  statement. Rejects with 503 when too much waits, or for too long. */
export function gather<Item, Result>(options: GatherOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { run, maxStatements = 2, maxItems = 100, maxWaiting = 5_000, maxWaitMs = 2_000 } = options
  type Call = Waiting<Item, Result>
  let waiting: Call[] = []
  let running = 0
  let isScheduled = false
  let sweeper: NodeJS.Timeout | undefined

  /** On the next turn of the event loop, so that a statement holds what this turn reads. */
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      start()
    })
  }

  function start(): void {
    while (running < maxStatements && waiting.length > 0) {
      const calls = waiting.slice(0, maxItems)
      waiting = waiting.slice(maxItems)
      running++
      void settle(calls).finally(() => {
        running--
        if (waiting.length > 0) schedule()
      })
    }
    if (waiting.length > 0) armSweeper()
  }

  /** Runs calls and answers them. Never rejects. */
  async function settle(calls: readonly Call[]): Promise<void> {
    try {
      const results = await run(calls.map(({ item }) => item))
      if (results.length !== calls.length)
        throw new Error('A gathered statement answered another number of results.')
      for (const [at, { resolve }] of calls.entries()) resolve(results[at] as Result)
    } catch (error) {
      const fault = classifyDatabaseError(error)
      if (calls.length > 1 && (fault === 'bad_data' || fault === 'retry')) {
        const middle = calls.length >> 1
        await settle(calls.slice(0, middle))
        await settle(calls.slice(middle))
      } else for (const { reject } of calls) reject(error)
    }
  }

  function armSweeper(): void {
    const [first] = waiting
    if (first && !sweeper) sweeper = setTimeout(sweep, first.sinceMs + maxWaitMs - performance.now()).unref()
  }

  function sweep(): void {
    sweeper = undefined
    const nowMs = performance.now()
    const late = waiting.findIndex(({ sinceMs }) => sinceMs + maxWaitMs > nowMs)
    const expired = waiting.splice(0, late < 0 ? waiting.length : late)
    for (const { reject } of expired) reject(unavailable('The database does not answer. Try again shortly.'))
    armSweeper()
  }

  return item => {
    if (waiting.length >= maxWaiting)
      return Promise.reject(unavailable('Too many requests wait for the database. Try again shortly.'))
    const call = { ...Promise.withResolvers<Result>(), item, sinceMs: performance.now() }
    waiting.push(call)
    schedule()
    return call.promise
  }
}
