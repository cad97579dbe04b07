import type { Database } from '../foundation/database/index.ts'
import { type Actor, recordAudit } from '../tenancy/index.ts'
import { updateEnded, updateEndedAnyones } from './member-sessions.store.ts'
import { updateRevoked } from './member-tokens.store.ts'

export interface EndingParts {
  db: Database
  /** Tells this process at once; the others hear of it from the database. */
  noteEnd(id: string): void
}

/** Ends a session of a member, and with it every token that rides it. False when the member has no such live session. */
export async function endSession(
  { db, noteEnd }: EndingParts,
  tenantId: string,
  session: { memberId: string; sessionId: string; now: Date },
): Promise<boolean> {
  const ended = await updateEnded(db, tenantId, session)
  if (ended) noteEnd(session.sessionId)
  return ended
}

/** Ends any member's session for the tenant's staff, with an entry in the audit trail. False when there is no such
 *  live session. */
export async function endSessionAsStaff(
  { db, noteEnd }: EndingParts,
  tenantId: string,
  { sessionId, actor, address, now }: { sessionId: string; actor: Actor; address: string; now: Date },
): Promise<boolean> {
  const ended = await db.transaction().execute(async trx => {
    const memberId = await updateEndedAnyones(trx, tenantId, { sessionId, now })
    if (memberId === undefined) return false
    await recordAudit(trx, {
      tenantId,
      actor,
      action: 'member_session.ended',
      target: sessionId,
      details: { member_id: memberId },
      address: address || null,
      at: now,
    })
    return true
  })
  if (ended) noteEnd(sessionId)
  return ended
}

/** Revokes a token (RFC 7009). An integration's session is nothing without its token, and ends; a device's goes on
 *  (decisions, "OAuth"). */
export async function revokeToken(
  { db, noteEnd }: EndingParts,
  tenantId: string,
  token: { tokenId: string; now: Date },
): Promise<void> {
  for (const id of await updateRevoked(db, tenantId, token)) noteEnd(id)
}
