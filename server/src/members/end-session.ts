import type { Database, DatabaseTransaction } from '../foundation/database/index.ts'
import { type Actor, recordAudit } from '../tenancy/index.ts'
import { updateEnded, updateEndedAnyones, updateEndedOfClient } from './member-sessions.store.ts'
import { findParties, type Party, updateRevoked } from './member-tokens.store.ts'

/** A session that came to an end, and the clients that have an id_token of it. */
export interface EndedSession {
  memberId: string
  parties: readonly Party[]
}

export interface EndingParts {
  db: Database
  /** Called in the transaction that ends the session. */
  onEnd(trx: DatabaseTransaction, tenantId: string, ended: EndedSession): Promise<void>
  /** Tells this process at once; the others hear of it from the database. */
  noteEnd(id: string): void
}

/** Ends a session of a member, and with it every token that rides it. False when the member has no such live session. */
export async function endSession(
  parts: EndingParts,
  tenantId: string,
  session: { memberId: string; sessionId: string; now: Date },
): Promise<boolean> {
  const { db, noteEnd } = parts
  const ended = await db.transaction().execute(async trx => {
    const isEnded = await updateEnded(trx, tenantId, session)
    if (isEnded) await tellParties(parts, trx, tenantId, session)
    return isEnded
  })
  if (ended) noteEnd(session.sessionId)
  return ended
}

async function tellParties(
  { onEnd }: EndingParts,
  trx: DatabaseTransaction,
  tenantId: string,
  { memberId, sessionId }: { memberId: string; sessionId: string },
): Promise<void> {
  const parties = await findParties(trx, tenantId, sessionId)
  if (parties.length > 0) await onEnd(trx, tenantId, { memberId, parties })
}

/** Ends the sessions that a client got by a sign-in on a browser; it says so itself, so nobody tells it. */
export async function endClientSessions(
  { db, noteEnd }: EndingParts,
  tenantId: string,
  sessions: { memberId: string; clientId: string; sessionId: string; now: Date },
): Promise<void> {
  for (const id of await updateEndedOfClient(db, tenantId, sessions)) noteEnd(id)
}

/** Ends any member's session for the tenant's staff, with an entry in the audit trail. False when there is no such
 *  live session. */
export async function endSessionAsStaff(
  parts: EndingParts,
  tenantId: string,
  { sessionId, actor, address, now }: { sessionId: string; actor: Actor; address: string; now: Date },
): Promise<boolean> {
  const { db, noteEnd } = parts
  const ended = await db.transaction().execute(async trx => {
    const memberId = await updateEndedAnyones(trx, tenantId, { sessionId, now })
    if (memberId === undefined) return false
    await tellParties(parts, trx, tenantId, { memberId, sessionId })
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
