import type { Database } from '../foundation/database/index.ts'
import { deleteRemovalsBefore } from './queue.store.ts'

/** How long the Idempotency-Key of a DELETE is remembered. */
const rememberedMs = 24 * 3_600_000

/** Forgets the keys of removals that nobody retries any more. */
export async function forgetRemovals(db: Database, now: Date): Promise<void> {
  await deleteRemovalsBefore(db, new Date(now.getTime() - rememberedMs))
}
