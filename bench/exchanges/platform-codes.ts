import { createHash, randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Platform } from '../platform/start-platform.ts'
import { type CodeServer, challenge, client, memberCount, randomCodes } from './code-server.ts'

/** The platform: members with a session each, and codes of theirs, put into its tables directly. `isOpenId`: the codes are for
 *  id_tokens too. */
export async function platformCodes(
  { port, tenant, database }: Platform,
  { isOpenId }: { isOpenId: boolean },
): Promise<CodeServer> {
  const connection = new pg.Client({ connectionString: database.url('usher') })
  // One that breaks shows at its next statement.
  connection.on('error', () => {})
  await connection.connect()
  const ids = Array.from({ length: memberCount }, () => ({ member: randomUUID(), session: randomUUID() }))
  const members = ids.map(({ member }) => member)
  const sessions = ids.map(({ session }) => session)
  const found = await connection.query<{ id: string }>("select id from tenants where slug = 'bench'")
  const tenantId = found.rows[0]?.id
  await connection.query(
    `insert into members (tenant_id, id, email, created_at)
      select $1, id, 'member-' || id || '@bench.example', now() from unnest($2::uuid[]) as m (id)`,
    [tenantId, members],
  )
  await connection.query(
    `insert into member_sessions (tenant_id, id, member_id, kind, user_agent, created_at, last_seen_at, expires_at)
      select $1, session, member, 'device', 'Mozilla/5.0', now(), now(), now() + interval '30 days'
      from unnest($2::uuid[], $3::uuid[]) as s (session, member)`,
    [tenantId, sessions, members],
  )
  return {
    name: 'platform',
    port,
    host: tenant.domain,
    path: '/oauth/token',
    async makeCodes(count) {
      const codes = randomCodes(count)
      const hashes = codes.map(code => createHash('sha256').update(code).digest())
      await connection.query(
        `insert into authorization_codes (tenant_id, code_hash, client_id, redirect_uri, code_challenge, member_id,
            session_id, origin, issued_at, expires_at, scope)
          select $1, hash, $2, $3, $4, ($6::uuid[])[1 + n % $8], ($7::uuid[])[1 + n % $8], 'interactive', now(),
            now() + interval '1 hour', $9
          from unnest($5::bytea[]) with ordinality as c (hash, n)`,
        [
          tenantId,
          client.id,
          client.redirectUri,
          challenge,
          hashes,
          members,
          sessions,
          memberCount,
          isOpenId ? 'openid' : null,
        ],
      )
      return codes
    },
    stop: () => connection.end(),
  }
}
