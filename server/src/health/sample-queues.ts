import type { Database } from '../foundation/database/index.ts'
import type { ReadQueueStates } from './health-ports.ts'
import { deleteOldQueueSamples, insertQueueSamples } from './queue-samples.store.ts'

// Short transactions: pruning holds up no sample.
const PRUNE_BATCH = 20_000

/** Keeps depth, age and consumer rate of every tenant's queues. Gives the number of samples. */
export async function sampleQueues(db: Database, readQueueStates: ReadQueueStates): Promise<number> {
  return insertQueueSamples(db, await readQueueStates(db))
}

/** Deletes the samples older than 30 days. Gives their number. */
export async function pruneQueueSamples(db: Database, signal: AbortSignal): Promise<number> {
  let total = 0
  for (;;) {
    signal.throwIfAborted()
    const removed = await deleteOldQueueSamples(db, PRUNE_BATCH)
    total += removed
    if (removed < PRUNE_BATCH) return total
  }
}
