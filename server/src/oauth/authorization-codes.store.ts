import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import { gather } from '../foundation/gather.ts'
import type { CodeOrigin } from './authorization-code.ts'
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
  const { rows } = await sql<{ isStored: boolean }>`
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
    select s.code_hash is not null as "isStored"
    from given g left join stored s on s.tenant_id = g.tenant_id and s.code_hash = g.code_hash
    order by g.place`.execute(db)
  return rows.map(({ isStored }) => isStored)
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
}

/** Uses up a code and makes the rows of its token; undefined if the code is unknown, expired, used, bound to something
 *  else, or another tenant's, if its session has ended, or its client is disabled or has another secret. One
 *  statement, so of many calls at once exactly one gets the row. RFC 6749 4.1.2 and 4.1.3. */
export async function consumeCode(
  db: Database,
  tenantId: string,
  use: CodeUse,
): Promise<UsedCode | undefined> {
  const { rows } = await sql<UsedCode>`
    select member_id as "memberId", session_id as "sessionId", expires_at as "expiresAt", scope, nonce
    from exchange_code(${tenantId}, ${use.codeHash}, ${use.clientId}, ${use.secretHash}, ${use.redirectUri},
      ${use.challenge}, ${use.freshSessionId}, ${use.tokenId}, ${use.userAgent}, ${use.address}, ${use.now},
      ${use.expiresAt})`.execute(db)
  return rows[0]
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

/** Deletes codes that expired before a time, at most `limit`, and answers how many. Of all tenants: it is the
 *  platform's own upkeep. */
export async function deleteExpiredCodes(db: Database, before: Date, limit: number): Promise<number> {
  const result = await sql`
    delete from authorization_codes a using (
      select tenant_id, code_hash from authorization_codes where expires_at < ${before}
      order by expires_at limit ${limit} for update skip locked
    ) old where a.tenant_id = old.tenant_id and a.code_hash = old.code_hash`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}
