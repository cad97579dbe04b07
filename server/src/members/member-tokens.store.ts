import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import type { Member } from './member.ts'
import type { TokenKind } from './member-token.ts'

/** What stands behind a token that is neither revoked nor expired, and whose session goes on. */
export interface TokenState {
  kind: TokenKind
  clientId: string | null
  sessionId: string
  signedInAt: Date
  sessionExpiresAt: Date
  member: Member
}

/** Names a token in a map of many tenants' tokens. */
export const tokenKey = (tenantId: string, tokenId: string): string => `${tenantId} ${tokenId}`

interface StateRow {
  tenant_id: string
  token_id: string
  kind: TokenKind
  client_id: string | null
  session_id: string
  signed_in_at: Date
  session_expires_at: Date
  member_id: string
  email: string
  name: string | null
  member_created_at: Date
}

/** What stands behind those tokens of `tokenKey`s that are good now, by key. One statement for many, as the cache
 *  asks. */
export async function findTokenStates(
  db: Database,
  keys: readonly string[],
  now: Date,
): Promise<Map<string, TokenState>> {
  const asked = keys.map(key => key.split(' ', 2))
  const tenantIds = asked.map(([tenantId]) => tenantId)
  const tokenIds = asked.map(([, tokenId]) => tokenId)
  const { rows } = await sql<StateRow>`
    select t.tenant_id, t.id as token_id, t.kind, t.client_id, t.session_id, s.created_at as signed_in_at,
      s.expires_at as session_expires_at, m.id as member_id, m.email, m.name, m.created_at as member_created_at
    from unnest(${tenantIds}::uuid[], ${tokenIds}::uuid[]) asked (tenant_id, id)
    join member_tokens t on t.tenant_id = asked.tenant_id and t.id = asked.id
    join member_sessions s on s.tenant_id = t.tenant_id and s.id = t.session_id
    join members m on m.tenant_id = s.tenant_id and m.id = s.member_id
    where t.revoked_at is null and t.expires_at > ${now} and s.ended_at is null and s.expires_at > ${now}
  `.execute(db)
  return new Map(
    rows.map(row => [
      tokenKey(row.tenant_id, row.token_id),
      {
        kind: row.kind,
        clientId: row.client_id,
        sessionId: row.session_id,
        signedInAt: row.signed_in_at,
        sessionExpiresAt: row.session_expires_at,
        member: {
          id: row.member_id,
          email: row.email,
          name: row.name,
          createdAt: row.member_created_at,
        },
      },
    ]),
  )
}

/** A client that has an id_token, and the device session that this is of. */
export interface Party {
  clientId: string
  browserSessionId: string
}

/** The clients that have an id_token of a session which came to an end: by a token that rides it, or by a session of
 *  their own that was begun in it and goes on. What was revoked, or ended before, is their past already. */
export async function findParties(trx: Database, tenantId: string, sessionId: string): Promise<Party[]> {
  const { rows } = await sql<Party>`
    select distinct t.client_id as "clientId", t.browser_session_id as "browserSessionId"
    from member_tokens t join member_sessions s on s.tenant_id = t.tenant_id and s.id = t.session_id
    where t.tenant_id = ${tenantId} and (t.browser_session_id = ${sessionId} or t.session_id = ${sessionId})
      and t.browser_session_id is not null and t.revoked_at is null and (s.ended_at is null or s.id = ${sessionId})
    order by t.client_id`.execute(trx)
  return rows
}

/** Revokes a token; of an integration's, the session ends with it. One statement, so neither stands without the other.
 *  Gives what came to an end by it: the token's id and the session's. */
export async function updateRevoked(
  db: Database,
  tenantId: string,
  { tokenId, now }: { tokenId: string; now: Date },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with token as (
      update member_tokens set revoked_at = ${now}
      where tenant_id = ${tenantId} and id = ${tokenId} and revoked_at is null
      returning id, session_id),
    session as (
      update member_sessions s set ended_at = ${now} from token
      where s.tenant_id = ${tenantId} and s.id = token.session_id and s.kind = 'integration' and s.ended_at is null
      returning s.id)
    select id from token union all select id from session
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** Removes some tokens that expired before a time. Gives their number, which is less than `most` when none are left. */
export async function deleteOldTokens(
  db: Database,
  tenantId: string,
  { before, most }: { before: Date; most: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from member_tokens where tenant_id = ${tenantId} and id in (
      select id from member_tokens where tenant_id = ${tenantId} and expires_at < ${before}
      order by expires_at limit ${most} for update skip locked)
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
