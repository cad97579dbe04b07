import type { Database } from '../foundation/database/index.ts'
import { deleteOldSessions } from './member-sessions.store.ts'
import { deleteOldTokens } from './member-tokens.store.ts'

// Short transactions, so that pruning holds up nobody.
const most = 5_000
/** How long what has expired is kept, for whoever looks into what happened. */
const keptMs = 7 * 86_400_000

async function inBatches(remove: () => Promise<number>, signal: AbortSignal): Promise<number> {
  let total = 0
  for (;;) {
    signal.throwIfAborted()
    const removed = await remove()
    total += removed
    if (removed < most) return total
  }
}

/** Deletes a tenant's tokens and sessions that expired more than seven days ago. Gives their numbers. */
export async function pruneSessions(
  { db, now, signal }: { db: Database; now: Date; signal: AbortSignal },
  tenantId: string,
): Promise<{ sessions: number; tokens: number }> {
  const before = new Date(now.getTime() - keptMs)
  const sessions = await inBatches(() => deleteOldSessions(db, tenantId, { before, most }), signal)
  // Of the sessions that go on.
  const tokens = await inBatches(() => deleteOldTokens(db, tenantId, { before, most }), signal)
  return { sessions, tokens }
}
