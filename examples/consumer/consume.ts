import { type Batch, type EventRecord, type QueueClient, QueueError } from './queue-client.ts'

const EMPTY_WAIT_MS = 1000
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000

/**
 * Reads the queue until `signal` is aborted: reads, hands every event over, and removes them only then.
 * What is read when the process dies is read again at the next start, so nothing is lost and `handle` may
 * see an event twice. Waits where the platform is away; throws a QueueError that does not pass by itself.
 */
export async function consume(options: {
  queue: QueueClient
  handle: (event: EventRecord) => void | Promise<void>
  /** Told once when the platform is away, with the reason, and once when it is back. */
  onTrouble: (reason: string | undefined) => void
  /** Waits; ends at once when the signal is aborted. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** From 0 to below 1. */
  random: () => number
  signal: AbortSignal
}): Promise<void> {
  const { queue, handle, onTrouble, wait, signal } = options
  let failures = 0

  /** Does `call` until it succeeds; undefined when the consumer is to stop. */
  const persist = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    for (;;) {
      try {
        const result = await call()
        if (failures > 0) onTrouble(undefined)
        failures = 0
        return result
      } catch (error) {
        if (signal.aborted) return undefined
        if (!(error instanceof QueueError) || !error.passes) throw error
        if (failures === 0) onTrouble(error.message)
        const backoffMs = Math.min(FIRST_RETRY_MS * 2 ** failures++, LONGEST_RETRY_MS)
        await wait(Math.max(error.retryAfterMs, backoffMs * (0.5 + options.random() / 2)), signal)
        if (signal.aborted) return undefined
      }
    }
  }

  const remove = async (batch: Batch) => {
    try {
      await queue.remove(batch)
    } catch (error) {
      // 409: another event is at the front by now, as another consumer has removed these. Read on.
      if (!(error instanceof QueueError) || error.status !== 409) throw error
    }
  }

  while (!signal.aborted) {
    const batch = await persist(() => queue.read(signal))
    if (!batch) return
    for (const event of batch.events) await handle(event)
    if (batch.count > 0) await persist(() => remove(batch))
    else await wait(EMPTY_WAIT_MS, signal)
  }
}
