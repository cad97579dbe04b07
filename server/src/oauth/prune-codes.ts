import type { Database } from '../foundation/database/index.ts'
import { deleteExpiredCodes } from './authorization-codes.store.ts'

// Short transactions, so that pruning holds up nobody.
const BATCH = 5_000
/** A code that comes again within a day of its end is still known for what it was, and its token revoked. */
const KEPT_MS = 86_400_000

/** Deletes codes that ended more than a day ago, used or not. */
export async function pruneCodes(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  const before = new Date(now.getTime() - KEPT_MS)
  do signal.throwIfAborted()
  while ((await deleteExpiredCodes(db, before, BATCH)) === BATCH)
}
