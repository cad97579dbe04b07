import type { Database } from '../foundation/database/index.ts'
import { deleteOldFailedJobs, deleteOldFinishedJobs } from './jobs.store.ts'

// Short transactions, so that pruning after a flood of failures holds up nobody.
const BATCH = 10_000

async function inBatches(remove: (batch: number) => Promise<number>, signal: AbortSignal): Promise<number> {
  let total = 0
  for (;;) {
    signal.throwIfAborted()
    const removed = await remove(BATCH)
    total += removed
    if (removed < BATCH) return total
  }
}

/** Deletes the jobs that failed more than 7 days ago; they can be retried no longer (interface 2.3). Gives
 *  their number. */
export function pruneFailedJobs(db: Database, signal: AbortSignal): Promise<number> {
  return inBatches(batch => deleteOldFailedJobs(db, batch), signal)
}

/** Deletes the jobs that ended well more than a day ago. Gives their number. */
export function pruneFinishedJobs(db: Database, signal: AbortSignal): Promise<number> {
  return inBatches(batch => deleteOldFinishedJobs(db, batch), signal)
}
