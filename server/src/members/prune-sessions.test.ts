import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { issueTestAccessToken, openTestMembers, signInTestMember } from '../testing/members.ts'
import { applyTestPlatform } from '../testing/platform.ts'
import type { Members } from './index.ts'
import { pruneSessions } from './prune-sessions.ts'

const dayMs = 86_400_000
const begin = Date.parse('2026-05-01T12:00:00Z')
const day = (count: number) => new Date(begin + count * dayMs)

let database: TestDatabase
let members: Members
beforeAll(async () => {
  database = await createTestDatabase()
  await applyTestPlatform(
    database,
    `tenants:
  - { slug: acme, name: Acme, domain: members.acme.example }
  - { slug: globe, name: Globe, domain: members.globe.example }`,
  )
  members = openTestMembers(database)
})
afterAll(async () => {
  await members.close()
  await database.drop()
})

const left = async (table: string) =>
  (await database.pool.query(`select id from ${table} order by id`)).rows.map(({ id }) => id)

test('what expired more than seven days ago is deleted, of one tenant, and nothing else', async () => {
  const old = await signInTestMember(members, database, { now: day(0) })
  const ofGlobe = await signInTestMember(members, database, { slug: 'globe', now: day(0) })
  const live = await signInTestMember(members, database, { now: day(20) })
  await issueTestAccessToken(members, database, live, { issuedAt: day(20), lifetimeMs: 86_400_000 })
  const prune = (now: Date) =>
    pruneSessions({ db: database.db, now, signal: AbortSignal.timeout(10_000) }, old.tenant.id)

  expect(await prune(day(28))).toEqual({ sessions: 0, tokens: 0 })
  // The token that rode a session which goes on.
  expect(await prune(new Date(day(28).getTime() + 1))).toEqual({ sessions: 0, tokens: 1 })
  expect(await prune(day(37))).toEqual({ sessions: 0, tokens: 0 })
  expect(await prune(new Date(day(37).getTime() + 1))).toEqual({ sessions: 1, tokens: 0 })
  expect(await left('member_sessions')).toEqual([ofGlobe.sessionId, live.sessionId].toSorted())
  expect(await left('member_tokens')).toHaveLength(2)
  expect(await left('members')).toHaveLength(2)
})
