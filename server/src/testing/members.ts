import { sql } from 'kysely'
import { openSecrets } from '../foundation/secrets/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import { type Member, type Members, openMembers } from '../members/index.ts'
import { findTenantBySlug, type Tenant } from '../tenancy/index.ts'
import type { TestDatabase } from './database.ts'
import { TEST_PLATFORM_HOST } from './platform.ts'

/** The secret key of test platforms. */
export const TEST_SECRET_KEY = Buffer.alloc(32, 1)

/** The members of a database, as a further process of the platform has them. */
export function openTestMembers(
  { db, url }: Pick<TestDatabase, 'db' | 'url'>,
  options: Partial<Parameters<typeof openMembers>[0]> = {},
): Members {
  return openMembers({
    db,
    databaseUrl: url,
    directUrl: url,
    secrets: openSecrets([TEST_SECRET_KEY]),
    publicUrl: new URL(`http://${TEST_PLATFORM_HOST}`),
    cookieName: '_SERVICET',
    isClientEnabled: async () => true,
    ...options,
  })
}

export interface TestSignIn {
  tenant: Tenant
  member: Member
  sessionId: string
  /** The device token. */
  token: string
}

/** Signs a member in on a browser, as the hosted pages do in the end. */
export async function signInTestMember(
  members: Members,
  { db }: Pick<TestDatabase, 'db'>,
  options: { slug?: string; email?: string; userAgent?: string; address?: string; now?: Date } = {},
): Promise<TestSignIn> {
  const {
    slug = 'acme',
    email = 'ada@example.com',
    userAgent = 'test',
    address = '192.0.2.1',
    now = new Date(),
  } = options
  const tenant = await findTenantBySlug(db, slug)
  if (!tenant) throw new Error(`There is no tenant ${slug}.`)
  const member = await members.findOrCreateMember(db, tenant, email, now)
  if (!member) throw new Error(`The tenant ${slug} takes no new members.`)
  const session = { tenant, memberId: member.id, userAgent, address, now }
  const { sessionId, token } = await members.startDeviceSession(db, session)
  return { tenant, member, sessionId, token }
}

/** A token of a client, and the session that it is of. */
export interface TestAccess {
  token: string
  tokenId: string
  sessionId: string
}

interface TestAccessOptions {
  clientId?: string
  scope?: string | null
  issuedAt?: Date
  /** An hour unless told otherwise. */
  lifetimeMs?: number
}

/** Issues a token of a client, which rides the member's device session, as an exchange of a silent code does. */
export async function issueTestAccessToken(
  members: Members,
  { db }: Pick<TestDatabase, 'db'>,
  { tenant, member, sessionId }: Pick<TestSignIn, 'tenant' | 'member' | 'sessionId'>,
  options: TestAccessOptions = {},
): Promise<TestAccess> {
  const { clientId = 'partner', scope = null, issuedAt = new Date(), lifetimeMs = 3_600_000 } = options
  const tokenId = uuidv7()
  const expiresAt = new Date(issuedAt.getTime() + lifetimeMs)
  await sql`insert into member_tokens (tenant_id, id, session_id, kind, client_id, issued_at, expires_at)
    values (${tenant.id}, ${tokenId}, ${sessionId}, 'access', ${clientId}, ${issuedAt}, ${expiresAt})`.execute(
    db,
  )
  const content = { memberId: member.id, sessionId, tokenId, clientId, scope, issuedAt, expiresAt }
  return { token: await members.signAccessToken(tenant, content), tokenId, sessionId }
}

/** Begins a session of a client's with its token, as an exchange of any other code does. */
export async function startTestIntegration(
  members: Members,
  { db }: Pick<TestDatabase, 'db'>,
  { tenant, member }: Pick<TestSignIn, 'tenant' | 'member'>,
  options: TestAccessOptions = {},
): Promise<TestAccess> {
  const { clientId = 'partner', issuedAt = new Date(), lifetimeMs = 3_600_000 } = options
  const sessionId = uuidv7()
  await sql`insert into member_sessions (tenant_id, id, member_id, kind, client_id, user_agent, address, created_at,
      last_seen_at, expires_at)
    values (${tenant.id}, ${sessionId}, ${member.id}, 'integration', ${clientId}, '', '192.0.2.50', ${issuedAt},
      ${issuedAt}, ${new Date(issuedAt.getTime() + lifetimeMs)})`.execute(db)
  return issueTestAccessToken(
    members,
    { db },
    { tenant, member, sessionId },
    { ...options, clientId, issuedAt },
  )
}
