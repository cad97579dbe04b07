import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import type { Members } from '../members/index.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { openTestMembers, signInTestMember, type TestSignIn } from './members.ts'
import { applyTestPlatform } from './platform.ts'

const platformFile = `
tenants:
  - { slug: acme, name: Acme, domain: members.acme.example }
  - { slug: globe, name: Globe, domain: members.globe.example }
`
/** Every kind of token. */
export const both = ['device', 'access'] as const
export const dayMs = 86_400_000

/** A member who is signed in on a browser and at a client, anew for each test of this file. */
export function useTestTokens() {
  let database: TestDatabase
  let members: Members
  let now: Date
  let enabledClients: Set<string>
  let ada: TestSignIn
  let access: { token: string; sessionId: string; tokenId: string }
  beforeAll(async () => {
    database = await createTestDatabase()
    await applyTestPlatform(database, platformFile)
  })
  afterAll(() => database.drop())
  beforeEach(async () => {
    now = new Date('2026-05-01T12:00:00.500Z')
    enabledClients = new Set(['partner'])
    members = openTestMembers(database, {
      nowMs: () => now.getTime(),
      isClientEnabled: async (_tenantId, clientId) => enabledClients.has(clientId),
    })
    ada = await signInTestMember(members, database, { now })
    access = await issueAccessToken()
  })
  afterEach(() => members.close())

  /** What a code exchange leaves behind: an integration session, a token row, the token. */
  async function issueAccessToken() {
    const { tenant, member } = ada
    const [sessionId, tokenId] = [uuidv7(), uuidv7()]
    const expiresAt = new Date(now.getTime() + 30 * dayMs)
    await database.pool.query(
      `insert into member_sessions (tenant_id, id, member_id, kind, client_id, user_agent, created_at, last_seen_at, expires_at)
       values ($1, $2, $3, 'integration', 'partner', 'partner/1', $4, $4, $5)`,
      [tenant.id, sessionId, member.id, now, expiresAt],
    )
    await database.pool.query(
      `insert into member_tokens (tenant_id, id, session_id, kind, client_id, issued_at, expires_at)
       values ($1, $2, $3, 'access', 'partner', $4, $5)`,
      [tenant.id, tokenId, sessionId, now, expiresAt],
    )
    const content = { memberId: member.id, sessionId, tokenId, clientId: 'partner', issuedAt: now, expiresAt }
    return { token: await members.signAccessToken(tenant, content), sessionId, tokenId }
  }

  const verify = (
    token: string,
    options: { kinds?: readonly ('device' | 'access')[]; recent?: boolean } = {},
  ) => members.verifyMemberToken({ tenant: ada.tenant, token, kinds: both, ...options })

  return {
    verify,
    /** There once the tests run, as are the following. */
    get database() {
      return database
    },
    get members() {
      return members
    },
    /** The sign-in on a browser. */
    get ada() {
      return ada
    },
    /** The client's session. */
    get access() {
      return access
    },
    /** Ids of clients that are enabled. */
    get enabledClients() {
      return enabledClients
    },
    /** The time of the platform, which stands still unless a test sets it. */
    get now() {
      return now
    },
    set now(value) {
      now = value
    },
  }
}
