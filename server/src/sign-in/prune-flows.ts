import type { Database } from '../foundation/database/index.ts'
import { flowKeptMs } from './flow.ts'
import { deleteFlowsBefore, deleteMailsBefore } from './prune-flows.store.ts'
import { deleteAttemptsBefore } from './social/social-attempts.store.ts'

// Short transactions, so that pruning holds up nobody.
const BATCH = 5_000

/** Deletes mails, flows and attempts to sign in by a provider that ended more than a day ago: mails are counted by the hour,
 *  and a flow that ended can be begun anew from its page. */
export async function pruneFlows(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  const before = new Date(now.getTime() - flowKeptMs)
  for (const deleteBatch of [deleteMailsBefore, deleteFlowsBefore, deleteAttemptsBefore])
    do signal.throwIfAborted()
    while ((await deleteBatch(db, before, BATCH)) === BATCH)
}
