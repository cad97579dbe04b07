import type { EventRecord } from './event-record.ts'
import { openQueue, type QueueClient, type QueueOptions, type Read } from './queue-client.ts'
import { QueueError } from './queue-error.ts'
import { emptyWaitMs, retryWaitMs, waitFor } from './waits.ts'

export interface ConsumeOptions extends QueueOptions {
  /**
   * Aborted, it ends the loop: a read or a wait at once, a batch that is being processed after its removal. Without
   * one the loop ends by `break`, an error, or `untilEmpty`.
   */
  signal?: AbortSignal
  /** Ends the loop when nothing waits any more, instead of waiting for more. */
  untilEmpty?: boolean
  /** Longest wait before an empty queue is read again, in ms; 2,000 unless set. */
  maxEmptyWaitMs?: number
  /**
   * Told when something went wrong that passes (the platform is away, asks to wait, or another consumer has removed the
   * batch), each time with the error, and once with undefined when it is over.
   */
  onTrouble?: (error: QueueError | undefined) => void
}

/** Events in the order in which they were accepted, which stay in the queue while they are processed. */
export interface Batch {
  events: EventRecord[]
  /** How many they are. */
  count: number
}

/** How long a removal that is due may still take after the signal. */
const graceMs = 5_000

/**
 * Reads the queue in batches, and removes each when the loop comes back for the next one:
 *
 *     for await (const { events } of consume({ url, key })) await store(events)
 *
 * A batch whose loop body throws, breaks, or never ends is not removed, and is read again: an event comes at least once, in
 * order. What passes by itself is waited for; anything else, such as a wrong key, is thrown as a QueueError.
 */
export async function* consume(options: ConsumeOptions): AsyncGenerator<Batch, void, undefined> {
  const { signal, untilEmpty = false, maxEmptyWaitMs = 2_000, onTrouble } = options
  const queue = openQueue(options)
  const grace = startGrace(signal)
  let empty = 0
  try {
    while (!signal?.aborted) {
      const read = await persist(() => queue.read(signal), { until: signal, onTrouble })
      if (!read) return
      const { events } = read
      if (events.length > 0) {
        empty = 0
        yield { events, count: events.length }
        await persist(() => remove(queue, read, grace.signal, onTrouble), {
          hurry: signal,
          until: grace.signal,
          onTrouble,
        })
      } else if (untilEmpty) return
      else await waitFor(emptyWaitMs(++empty, maxEmptyWaitMs), signal)
    }
  } finally {
    grace.end()
    queue.close()
  }
}

async function remove(
  queue: QueueClient,
  read: Read,
  signal: AbortSignal,
  onTrouble: ConsumeOptions['onTrouble'],
): Promise<void> {
  try {
    await queue.remove(read, signal)
  } catch (error) {
    // Another event is at the front by now: somebody else has removed these, or moved the front back. Read on.
    if (!(error instanceof QueueError) || error.status !== 409) throw error
    onTrouble?.(error)
    onTrouble?.(undefined)
  }
}

interface Persistence {
  /** Aborted, it ends all attempts. */
  until: AbortSignal | undefined
  /** Aborted, it ends the wait before the next attempt. */
  hurry?: AbortSignal | undefined
  onTrouble: ConsumeOptions['onTrouble']
}

/** Does `call` until it succeeds; undefined when it was ended. Throws what does not pass by itself. */
async function persist<T>(
  call: () => Promise<T>,
  { until, hurry = until, onTrouble }: Persistence,
): Promise<T | undefined> {
  for (let failures = 0; ; ) {
    try {
      const result = await call()
      if (failures > 0) onTrouble?.(undefined)
      return result
    } catch (error) {
      if (until?.aborted) return undefined
      if (!(error instanceof QueueError) || !error.passes) throw error
      onTrouble?.(error)
      const ms = retryWaitMs(++failures, error.retryAfterMs)
      await waitFor(ms, hurry?.aborted ? until : hurry)
      if (until?.aborted) return undefined
    }
  }
}

/** A signal that is aborted `graceMs` after another. */
function startGrace(signal: AbortSignal | undefined): { signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const start = () => {
    timer = setTimeout(() => controller.abort(), graceMs)
  }
  signal?.addEventListener('abort', start, { once: true })
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', start)
    },
  }
}
