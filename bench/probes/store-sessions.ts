import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type pg from 'pg'
import type { Platform } from '../platform/start-platform.ts'

/** Rows of one statement. */
const batch = 50_000

/** Puts so many members into the platform's tables, each signed in on a browser. Gives the tenant's id and the ids of the
 *  first `named` of their sessions. */
async function storeSessions(
  database: pg.Client,
  count: number,
  named = 0,
): Promise<{ tenantId: string; ids: { member: string; session: string; token: string }[] }> {
  const found = await database.query<{ id: string }>("select id from tenants where slug = 'bench'")
  const tenantId = found.rows[0]?.id ?? ''
  const ids = Array.from({ length: named }, () => ({
    member: randomUUID(),
    session: randomUUID(),
    token: randomUUID(),
  }))
  for (let stored = 0; stored < count; stored += batch) {
    const size = Math.min(batch, count - stored)
    const part = ids.slice(stored, stored + size)
    await database.query(
      `with made as materialized (
        select coalesce(($2::uuid[])[n], gen_random_uuid()) as member, coalesce(($3::uuid[])[n], gen_random_uuid()) as session,
          coalesce(($4::uuid[])[n], gen_random_uuid()) as token
        from generate_series(1, $5) n),
      stored_members as (
        insert into members (tenant_id, id, email, created_at)
        select $1, member, 'member-' || member || '@bench.example', now() from made),
      stored_sessions as (
        insert into member_sessions (tenant_id, id, member_id, kind, user_agent, created_at, last_seen_at, expires_at)
        select $1, session, member, 'device', 'Mozilla/5.0', now(), now(), now() + interval '30 days' from made)
      insert into member_tokens (tenant_id, id, session_id, kind, issued_at, expires_at)
      select $1, token, session, 'device', now(), now() + interval '30 days' from made`,
      [tenantId, part.map(one => one.member), part.map(one => one.session), part.map(one => one.token), size],
    )
  }
  await database.query('vacuum analyze members, member_sessions, member_tokens')
  return { tenantId, ids }
}

/** Fills the tables with the sessions of others. */
export async function storeOthers(database: pg.Client, count: number): Promise<void> {
  await storeSessions(database, count)
}

/** Signs members in, each on a browser, and gives their device tokens: signed by a key of the bench's own that the tenant
 *  publishes, as one does that signs no more. */
export async function signIn(
  { port, tenant }: Pick<Platform, 'port' | 'tenant'>,
  database: pg.Client,
  count: number,
): Promise<string[]> {
  const { tenantId, ids } = await storeSessions(database, count, count)
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const kid = `bench-${randomUUID()}`
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }
  await database.query(
    `insert into signing_keys (tenant_id, kid, public_jwk, sealed_private_key, created_at, signs_from, signs_until,
        published_until)
      values ($1, $2, $3, '', now() - interval '3 days', now() - interval '2 days', now() - interval '1 day',
        now() + interval '30 days')`,
    [tenantId, kid, JSON.stringify(jwk)],
  )
  const issuer = `http://${tenant.domain}:${port}`
  const nowS = Math.floor(Date.now() / 1_000)
  return Promise.all(
    ids.map(({ member, session, token }) =>
      new SignJWT({ sid: session })
        .setProtectedHeader({ alg: 'RS256', typ: 'device+jwt', kid })
        .setIssuer(issuer)
        .setAudience(issuer)
        .setSubject(member)
        .setJti(token)
        .setIssuedAt(nowS)
        .setExpirationTime(nowS + 30 * 86_400)
        .sign(privateKey),
    ),
  )
}
