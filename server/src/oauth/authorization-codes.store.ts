import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import { gather } from '../foundation/gather.ts'
import type { CodeOrigin } from './authorization-code.ts'
import type { ToldMember } from './openid/member-claims.ts'
import { oauthTables } from './tables.ts'

export interface NewCode {
  codeHash: Buffer
  clientId: string
  redirectUri: string
  codeChallenge: string | null
  memberId: string
  sessionId: string
  origin: CodeOrigin
  scope: string | null
  nonce: string | null
  issuedAt: Date
  expiresAt: Date
}

/** Stores codes, of any tenants. False for one whose client is not enabled, or has not registered the redirect URI: one
 *  statement, so a change of the client that was committed before is seen. */
export async function insertCodes(
  db: Database,
  codes: readonly (NewCode & { tenantId: string })[],
): Promise<boolean[]> {
  const column = <K extends keyof (typeof codes)[number]>(name: K) => codes.map(code => code[name])
  const { rows } = await sql<{ place: number }>`
    with given as (
      select * from unnest(${column('tenantId')}::uuid[], ${column('codeHash')}::bytea[], ${column('clientId')}::text[],
        ${column('redirectUri')}::text[], ${column('codeChallenge')}::text[], ${column('memberId')}::uuid[],
        ${column('sessionId')}::uuid[], ${column('origin')}::text[], ${column('scope')}::text[],
        ${column('nonce')}::text[], ${column('issuedAt')}::timestamptz[], ${column('expiresAt')}::timestamptz[])
        with ordinality as g (tenant_id, code_hash, client_id, redirect_uri, code_challenge, member_id, session_id,
          origin, scope, nonce, issued_at, expires_at, place)),
    stored as (
      insert into authorization_codes (tenant_id, code_hash, client_id, redirect_uri, code_challenge, member_id,
        session_id, origin, scope, nonce, issued_at, expires_at)
      select c.tenant_id, code_hash, c.client_id, redirect_uri, code_challenge, member_id, session_id, origin, scope,
        nonce, issued_at, expires_at
      from given g join oauth_clients c on c.tenant_id = g.tenant_id and c.client_id = g.client_id
      where c.enabled and g.redirect_uri = any(c.redirect_uris)
      returning tenant_id, code_hash)
    select g.place from given g join stored s on s.tenant_id = g.tenant_id and s.code_hash = g.code_hash
  `.execute(db)
  const isStored = codes.map(() => false)
  for (const { place } of rows) isStored[place - 1] = true
  return isStored
}

/** Stores a code as insertCodes does, in one statement with those of other callers. Not for within a transaction. */
export type StoreCode = (tenantId: string, code: NewCode) => Promise<boolean>

export function codeStorer(db: Database): StoreCode {
  const insert = gather({
    run: (codes: readonly (NewCode & { tenantId: string })[]) => insertCodes(db, codes),
  })
  return (tenantId, code) => insert({ ...code, tenantId })
}

/** What an exchange brings: the code and all that it is bound to, and the rows to make. */
export interface CodeUse {
  codeHash: Buffer
  clientId: string
  secretHash: Buffer
  redirectUri: string
  /** S256 of the verifier; null when none was sent. */
  challenge: string | null
  /** The ids of the session, where the code gets one of its own, and of the token. */
  freshSessionId: string
  tokenId: string
  userAgent: string
  address: string | null
  now: Date
  /** Of the token, unless it rides a session that ends before. */
  expiresAt: Date
}

export interface UsedCode {
  memberId: string
  /** The session that the token rides. */
  sessionId: string
  expiresAt: Date
  scope: string | null
  nonce: string | null
  /** The device session that asked for the code, and when the member signed in there. */
  browserSessionId: string
  signedInAt: Date
  /** Who the member is; null where the scope opens nothing of it. */
  member: ToldMember | null
}

/** Whether the scope of a code opens anything of its member. */
const tellsMember = sql`string_to_array(e.scope, ' ') @> '{openid}' and string_to_array(e.scope, ' ') && '{email,profile}'`

/** Uses up codes, of any tenants, and makes the rows of their tokens; undefined for a code that is unknown, expired,
 *  used, bound to something else, or another tenant's, if its session has ended, or its client is disabled or has
 *  another secret. One statement, and exchange_code looks anew for each, so of many uses of one code at once, also in
 *  one statement, exactly one gets the row. RFC 6749 4.1.2 and 4.1.3. */
async function consumeCodes(
  db: Database,
  uses: readonly (CodeUse & { tenantId: string })[],
): Promise<(UsedCode | undefined)[]> {
  const column = <K extends keyof (typeof uses)[number]>(name: K) => uses.map(use => use[name])
  // By code, so that two statements that have two codes in common do not wait for each other.
  const { rows } = await sql<UsedCode & { place: number }>`
    select place, e.member_id as "memberId", e.session_id as "sessionId", e.expires_at as "expiresAt", e.scope, e.nonce,
      e.browser_session_id as "browserSessionId", e.signed_in_at as "signedInAt",
      -- Row by row, so that no plan reads more of the members than these.
      case when ${tellsMember} then (
        select json_build_object('email', m.email, 'name', m.name,
          'updatedAtS', floor(extract(epoch from coalesce(m.updated_at, m.created_at))))
        from members m where m.tenant_id = u.tenant_id and m.id = e.member_id) end as member
    from (
      select * from unnest(${column('tenantId')}::uuid[], ${column('codeHash')}::bytea[], ${column('clientId')}::text[],
        ${column('secretHash')}::bytea[], ${column('redirectUri')}::text[], ${column('challenge')}::text[],
        ${column('freshSessionId')}::uuid[], ${column('tokenId')}::uuid[], ${column('userAgent')}::text[],
        ${column('address')}::inet[], ${column('now')}::timestamptz[], ${column('expiresAt')}::timestamptz[])
        with ordinality as u (tenant_id, code_hash, client_id, secret_hash, redirect_uri, challenge, session_id, token_id,
          user_agent, address, now, expires_at, place)
      order by code_hash
    ) u cross join lateral exchange_code(u.tenant_id, u.code_hash, u.client_id, u.secret_hash, u.redirect_uri,
      u.challenge, u.session_id, u.token_id, u.user_agent, u.address, u.now, u.expires_at) e`.execute(db)
  const used: (UsedCode | undefined)[] = uses.map(() => undefined)
  for (const { place, ...row } of rows) used[place - 1] = row
  return used
}

/** Uses up a code as consumeCodes does, in one statement with those of other callers. */
export type ConsumeCode = (tenantId: string, use: CodeUse) => Promise<UsedCode | undefined>

export function codeConsumer(db: Database): ConsumeCode {
  const consume = gather({
    run: (uses: readonly (CodeUse & { tenantId: string })[]) => consumeCodes(db, uses),
  })
  return (tenantId, use) => consume({ ...use, tenantId })
}

/** A code that could not be used, to tell its client why. */
export interface StoredCode {
  clientId: string
  redirectUri: string
  codeChallenge: string | null
  expiresAt: Date
  usedAt: Date | null
  /** What it was exchanged for. */
  tokenId: string | null
}

export async function findCode(
  db: Database,
  tenantId: string,
  codeHash: Buffer,
): Promise<StoredCode | undefined> {
  const row = await oauthTables(db)
    .selectFrom('authorization_codes')
    .select(['client_id', 'redirect_uri', 'code_challenge', 'expires_at', 'used_at', 'token_id'])
    .where('tenant_id', '=', tenantId)
    .where('code_hash', '=', codeHash)
    .executeTakeFirst()
  return (
    row && {
      clientId: row.client_id,
      redirectUri: row.redirect_uri,
      codeChallenge: row.code_challenge,
      expiresAt: row.expires_at,
      usedAt: row.used_at,
      tokenId: row.token_id,
    }
  )
}

/** Deletes codes that ended at `from` or later, the oldest first and at most `limit`: those that nobody used and that
 *  ended before `unusedBefore`, and all that ended before `usedBefore`. Answers how many, and when the last of them
 *  ended, from where the next call goes on: so that none looks again at the used ones between. Of all tenants: it is the
 *  platform's own upkeep. */
export async function deleteEndedCodes(
  db: Database,
  { from, unusedBefore, usedBefore }: { from: Date; unusedBefore: Date; usedBefore: Date },
  limit: number,
): Promise<{ count: number; last: Date | null }> {
  const { rows } = await sql<{ count: number; last: Date | null }>`
    with gone as (
      delete from authorization_codes a using (
        select tenant_id, code_hash from authorization_codes
        where expires_at >= ${from} and expires_at < ${unusedBefore}
          and (used_at is null or expires_at < ${usedBefore})
        order by expires_at limit ${limit} for update skip locked
      ) old where a.tenant_id = old.tenant_id and a.code_hash = old.code_hash
      returning a.expires_at)
    select count(*)::int as count, max(expires_at) as last from gone`.execute(db)
  return rows[0] ?? { count: 0, last: null }
}
