import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import type { MemberSession } from './member.ts'
import { memberTables } from './tables.ts'

export interface NewDeviceSession {
  sessionId: string
  memberId: string
  userAgent: string
  address: string | null
  tokenId: string
  issuedAt: Date
  expiresAt: Date
}

/** Stores a browser's session with its device token, in one statement. */
export async function insertDeviceSession(
  trx: Database,
  tenantId: string,
  session: NewDeviceSession,
): Promise<void> {
  const { sessionId, memberId, userAgent, address, tokenId, issuedAt, expiresAt } = session
  await sql`
    with session as (
      insert into member_sessions (tenant_id, id, member_id, kind, user_agent, address, created_at, last_seen_at,
        last_seen_address, expires_at)
      values (${tenantId}, ${sessionId}, ${memberId}, 'device', ${userAgent}, ${address}::inet, ${issuedAt}, ${issuedAt},
        ${address}::inet, ${expiresAt}))
    insert into member_tokens (tenant_id, id, session_id, kind, issued_at, expires_at)
    values (${tenantId}, ${tokenId}, ${sessionId}, 'device', ${issuedAt}, ${expiresAt})
  `.execute(trx)
}

/** The live sessions of a member, the one seen last first. */
export async function listLiveSessions(
  db: Database,
  tenantId: string,
  memberId: string,
  now: Date,
): Promise<MemberSession[]> {
  const rows = await memberTables(db)
    .selectFrom('member_sessions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('member_id', '=', memberId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(row => ({
    id: row.id,
    kind: row.kind,
    clientId: row.client_id,
    userAgent: row.user_agent,
    address: row.address,
    lastSeenAddress: row.last_seen_address,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
  }))
}

/** Ends a live session of a member. False when there is none: unknown, another member's, expired, or ended already. */
export async function updateEnded(
  db: Database,
  tenantId: string,
  { memberId, sessionId, now }: { memberId: string; sessionId: string; now: Date },
): Promise<boolean> {
  const result = await memberTables(db)
    .updateTable('member_sessions')
    .set({ ended_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', sessionId)
    .where('member_id', '=', memberId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Ends the live sessions that a client got by a member's sign-in in a device session. Gives their ids. */
export async function updateEndedOfClient(
  db: Database,
  tenantId: string,
  {
    memberId,
    clientId,
    sessionId,
    now,
  }: { memberId: string; clientId: string; sessionId: string; now: Date },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update member_sessions s set ended_at = ${now}
    where s.tenant_id = ${tenantId} and s.member_id = ${memberId} and s.kind = 'integration'
      and s.client_id = ${clientId} and s.ended_at is null
      and s.id in (select t.session_id from member_tokens t
        where t.tenant_id = ${tenantId} and t.browser_session_id = ${sessionId})
    returning s.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Ends a live session whosever it is. Gives its member; undefined when there is none. */
export async function updateEndedAnyones(
  trx: Database,
  tenantId: string,
  { sessionId, now }: { sessionId: string; now: Date },
): Promise<string | undefined> {
  const row = await memberTables(trx)
    .updateTable('member_sessions')
    .set({ ended_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', sessionId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('member_id')
    .executeTakeFirst()
  return row?.member_id
}

/** Writes down where a session was used, unless that was done after `seenBefore`. An unknown address leaves the known
 *  one. */
export async function updateSeen(
  db: Database,
  tenantId: string,
  {
    sessionId,
    address,
    now,
    seenBefore,
  }: { sessionId: string; address: string | null; now: Date; seenBefore: Date },
): Promise<void> {
  await sql`
    update member_sessions
    set last_seen_at = ${now}, last_seen_address = coalesce(${address}::inet, last_seen_address)
    where tenant_id = ${tenantId} and id = ${sessionId} and last_seen_at < ${seenBefore}
  `.execute(db)
}

/** Removes some sessions that expired before a time, with their tokens. Gives their number, which is less than `most`
 *  when none are left. */
export async function deleteOldSessions(
  db: Database,
  tenantId: string,
  { before, most }: { before: Date; most: number },
): Promise<number> {
  // Foreign keys look at the end of a statement, so sessions and tokens go together.
  const { rows } = await sql<{ removed: number }>`
    with old as materialized (
      select id from member_sessions
      where tenant_id = ${tenantId} and expires_at < ${before}
      order by expires_at limit ${most} for update skip locked),
    tokens as (
      delete from member_tokens t using old where t.tenant_id = ${tenantId} and t.session_id = old.id),
    sessions as (
      delete from member_sessions s using old where s.tenant_id = ${tenantId} and s.id = old.id returning 1)
    select count(*)::int as removed from sessions
  `.execute(db)
  return rows[0]?.removed ?? 0
}
