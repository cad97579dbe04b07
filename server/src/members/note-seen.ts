import type { Database } from '../foundation/database/index.ts'
import { updateSeen } from './member-sessions.store.ts'

/** How often it is written down that a session is in use. */
const everyMs = 5 * 60_000
/** Most sessions of which a process remembers that it did. */
const maxNoted = 10_000

/** Notes where a session was used: at most once in five minutes, as it is a write for what is a read. `address` "" is
 *  an unknown one. */
export function seenNotes(db: Database) {
  const noted = new Map<string, number>()
  return async (
    tenantId: string,
    { sessionId, address, now }: { sessionId: string; address: string; now: Date },
  ): Promise<void> => {
    const before = now.getTime() - everyMs
    if ((noted.get(sessionId) ?? Number.NEGATIVE_INFINITY) > before) return
    await updateSeen(db, tenantId, {
      sessionId,
      address: address || null,
      now,
      seenBefore: new Date(before),
    })
    if (noted.size >= maxNoted) noted.clear()
    noted.set(sessionId, now.getTime())
  }
}
