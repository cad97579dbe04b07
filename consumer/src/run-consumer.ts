import { type Batch, type ConsumeOptions, consume } from './consume.ts'
import { retryWaitMs, waitFor } from './waits.ts'

/** What to do with a batch that cannot be processed. */
export type PoisonVerdict = 'skip' | 'stop'

export interface RunOptions extends ConsumeOptions {
  /** Processes a batch, which is removed when this has returned. A throw lets it be called again with the same batch. */
  handle: (batch: Batch) => void | Promise<void>
  /** How often a batch is handed over before it counts as poisonous; 5 unless set. */
  attempts?: number
  /**
   * Decides on a batch that failed at every attempt, with the last error: 'skip' removes it (so put it somewhere first), 'stop'
   * ends the consumer with a PoisonousBatch and leaves the batch in the queue. Without it, every such batch stops.
   */
  onPoison?: (batch: Batch, error: unknown) => PoisonVerdict | Promise<PoisonVerdict>
}

/** A batch that could not be processed stopped the consumer; `cause` is what its handler threw last. */
export class PoisonousBatch extends Error {
  override name = 'PoisonousBatch'
  readonly batch: Batch

  constructor(batch: Batch, attempts: number, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    const from = batch.events[0]?.id
    super(`${batch.count} events from ${from} on failed at ${attempts} attempts: ${why}`, { cause })
    this.batch = batch
  }
}

/**
 * Hands the queue's batches to `handle`, and removes each when it has returned. Ends when the signal is aborted, or when nothing
 * waits with `untilEmpty`. Throws a PoisonousBatch, or a QueueError that does not pass by itself.
 */
export async function runConsumer(options: RunOptions): Promise<void> {
  for await (const batch of consume(options)) {
    if ((await process(batch, options)) === 'unfinished') return
  }
}

async function process(batch: Batch, options: RunOptions): Promise<'done' | 'unfinished'> {
  const { handle, attempts = 5, onPoison, signal } = options
  for (let attempt = 1; ; attempt++) {
    try {
      await handle(batch)
      return 'done'
    } catch (error) {
      if (signal?.aborted) return 'unfinished'
      if (attempt >= attempts) {
        const verdict = onPoison ? await onPoison(batch, error) : 'stop'
        if (verdict === 'skip') return 'done'
        throw new PoisonousBatch(batch, attempt, error)
      }
      await waitFor(retryWaitMs(attempt, 0), signal)
      if (signal?.aborted) return 'unfinished'
    }
  }
}
