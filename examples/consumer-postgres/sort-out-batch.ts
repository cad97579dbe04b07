import type { Batch, PoisonVerdict } from '@usher/consumer'
import { DatabaseError, type Pool } from 'pg'
import { insertEvents, insertRefused } from './events.store.ts'

/** Data that PostgreSQL refuses: SQLSTATE class 22 or 23. */
const isRefused = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && /^2[23]/.test(error.code ?? '')

/**
 * Decides on a batch that failed again and again. Where it is the data, each event goes in by itself and the bad ones are put aside,
 * so that one of them does not hold up the rest. Where it is the database, the batch stays in the queue.
 */
export async function sortOutBatch(pool: Pool, batch: Batch, error: unknown): Promise<PoisonVerdict> {
  if (!isRefused(error)) return 'stop'
  for (const event of batch.events) {
    try {
      await insertEvents(pool, [event])
    } catch (reason) {
      if (!isRefused(reason)) throw reason
      await insertRefused(pool, event, reason.message)
    }
  }
  return 'skip'
}
