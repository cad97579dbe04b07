import type { Database } from '../foundation/database/index.ts'
import { deleteEndedCodes } from './authorization-codes.store.ts'

// Short transactions, so that pruning holds up nobody.
const BATCH = 5_000
/** A code that was used, and comes again within a day of its end, is known for what it was, and its token revoked. */
const USED_KEPT_MS = 86_400_000
/** Of one that nobody used there is nothing to revoke, only to say that it has expired. Each page view of a member can leave
 *  one, so they do not stay for a day. */
const UNUSED_KEPT_MS = 3_600_000

/** Deletes codes that ended more than an hour ago, those that were used more than a day ago. */
export async function pruneCodes(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms)
  const ended = { unusedBefore: before(UNUSED_KEPT_MS), usedBefore: before(USED_KEPT_MS) }
  let from = new Date(0)
  for (;;) {
    signal.throwIfAborted()
    const { count, last } = await deleteEndedCodes(db, { ...ended, from }, BATCH)
    if (count < BATCH || last === null) return
    from = last
  }
}
