import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { Members } from '../members/index.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import {
  openTestMembers,
  signInTestMember,
  startTestIntegration,
  type TestAccess,
  type TestSignIn,
} from './members.ts'
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
  let access: TestAccess
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
    access = await startTestIntegration(members, database, ada, { issuedAt: now, lifetimeMs: 30 * dayMs })
  })
  afterEach(() => members.close())

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
