import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from '../testing/database-proxy.ts'
import { issueTestAccessToken, openTestMembers, signInTestMember } from '../testing/members.ts'
import { both, dayMs, useTestTokens } from '../testing/use-test-tokens.ts'

/** Nobody listens there, so nobody is told of anything. */
const unreachable = 'postgres://127.0.0.1:1/none'
const given = useTestTokens()
const { verify } = given

describe('an end', () => {
  const end = () =>
    given.members.endSession(given.ada.tenant.id, {
      memberId: given.ada.member.id,
      sessionId: given.ada.sessionId,
      now: given.now,
    })

  test('of a session is seen at once, also where the token was good a moment ago, and leaves the others', async () => {
    expect(await verify(given.ada.token, { recent: true })).toBeDefined()
    expect(await end()).toBe(true)
    expect(await verify(given.ada.token, { recent: true })).toBeUndefined()
    expect(await verify(given.ada.token)).toBeUndefined()
    expect(await verify(given.access.token, { recent: true })).toBeDefined()
    expect(await end()).toBe(false)
  })

  test("of a session is the member's own", async () => {
    const eve = await signInTestMember(given.members, given.database, {
      email: 'eve@example.com',
      now: given.now,
    })
    const asEve = { memberId: eve.member.id, sessionId: given.ada.sessionId, now: given.now }
    expect(await given.members.endSession(given.ada.tenant.id, asEve)).toBe(false)
    const globe = await signInTestMember(given.members, given.database, { slug: 'globe', now: given.now })
    const asGlobe = { memberId: given.ada.member.id, sessionId: given.ada.sessionId, now: given.now }
    expect(await given.members.endSession(globe.tenant.id, asGlobe)).toBe(false)
    expect(await verify(given.ada.token)).toBeDefined()
  })

  test('of an access token ends its integration, and no browser', async () => {
    await given.members.revokeToken(given.ada.tenant.id, { tokenId: given.access.tokenId, now: given.now })
    expect(await verify(given.access.token, { recent: true })).toBeUndefined()
    expect(await verify(given.ada.token)).toBeDefined()
    const sessions = await given.members.listSessions(given.ada.tenant.id, given.ada.member.id, given.now)
    expect(sessions.map(({ id }) => id)).toContain(given.ada.sessionId)
    expect(sessions.map(({ id }) => id)).not.toContain(given.access.sessionId)
  })

  /** What a silent code is exchanged for: a token of the browser's own session. */
  const issueRidingToken = (lifetimeMs: number) =>
    issueTestAccessToken(given.members, given.database, given.ada, { issuedAt: given.now, lifetimeMs })

  test("of a token that rides a browser's session leaves that session", async () => {
    const riding = await issueRidingToken(dayMs)
    expect(await verify(riding.token)).toBeDefined()
    await given.members.revokeToken(given.ada.tenant.id, { tokenId: riding.tokenId, now: given.now })
    expect(await verify(riding.token)).toBeUndefined()
    expect(await verify(given.ada.token)).toBeDefined()
    // Also for a process that did not hear of it.
    const other = openTestMembers(given.database, {
      nowMs: () => given.now.getTime(),
      directUrl: unreachable,
    })
    try {
      const elsewhere = (token: string) =>
        other.verifyMemberToken({ tenant: given.ada.tenant, token, kinds: both, recent: true })
      expect(await elsewhere(riding.token)).toBeUndefined()
      expect(await elsewhere(given.ada.token)).toBeDefined()
    } finally {
      await other.close()
    }
  })

  test('by time is seen to the second, whatever is believed, also of a token whose session goes on', async () => {
    const { token } = await issueRidingToken(5_000)
    given.now = new Date(given.now.getTime() + 4_000)
    expect(await verify(token, { recent: true })).toBeDefined()
    given.now = new Date(given.now.getTime() + 1_000)
    expect(await verify(token, { recent: true })).toBeUndefined()
  })

  test('is seen by another process within moments, whoever brings it about', async () => {
    const other = openTestMembers(given.database, { nowMs: () => given.now.getTime() })
    try {
      const elsewhere = (token: string) =>
        other.verifyMemberToken({ tenant: given.ada.tenant, token, kinds: both, recent: true })
      // It hears of ends from when it listens.
      await expect
        .poll(async () => {
          const { rows } = await given.database.pool.query(
            `select count(*)::int as listening from pg_stat_activity
             where datname = current_database() and query = 'listen "usher_members"'`,
          )
          return rows[0].listening
        })
        .toBe(2)
      expect(await elsewhere(given.ada.token)).toBeDefined()
      await end()
      await expect.poll(() => elsewhere(given.ada.token), { interval: 10 }).toBeUndefined()

      expect(await elsewhere(given.access.token)).toBeDefined()
      await given.database.pool.query('update member_tokens set revoked_at = now() where id = $1', [
        given.access.tokenId,
      ])
      await expect.poll(() => elsewhere(given.access.token), { interval: 10 }).toBeUndefined()
    } finally {
      await other.close()
    }
  })

  test('of which nobody told is seen after ten seconds, and at once by whoever asks the database', async () => {
    const deaf = openTestMembers(given.database, { nowMs: () => given.now.getTime(), directUrl: unreachable })
    const ask = ({ token }: { token: string }, recent: boolean) =>
      deaf.verifyMemberToken({ tenant: given.ada.tenant, token, kinds: both, recent })
    try {
      for (const one of [given.ada, given.access]) expect(await ask(one, true)).toBeDefined()
      await given.database.pool.query('update member_sessions set ended_at = now() where member_id = $1', [
        given.ada.member.id,
      ])
      for (const one of [given.ada, given.access]) expect(await ask(one, true)).toBeDefined()
      expect(await ask(given.access, false)).toBeUndefined()
      given.now = new Date(given.now.getTime() + 9_999)
      expect(await ask(given.ada, true)).toBeDefined()
      given.now = new Date(given.now.getTime() + 1)
      expect(await ask(given.ada, true)).toBeUndefined()
    } finally {
      await deaf.close()
    }
  })
})

describe('while the database is away', () => {
  let proxy: DatabaseProxy
  beforeEach(async () => {
    proxy = await startDatabaseProxy(given.database.url)
  })
  afterEach(() => proxy.close())

  test('a token that was good a moment ago is believed where that is enough; else it is 503, and nothing is refused', async () => {
    const through = openTestMembers(
      { db: given.database.db, url: proxy.url },
      { nowMs: () => given.now.getTime(), directUrl: unreachable },
    )
    const ask = (recent: boolean) =>
      through.verifyMemberToken({ tenant: given.ada.tenant, token: given.ada.token, kinds: both, recent })
    try {
      expect(await ask(true)).toBeDefined()
      await proxy.cut()
      expect(await ask(true)).toBeDefined()
      await expect(ask(false)).rejects.toMatchObject({ status: 503 })
      expect(await ask(true)).toBeDefined()
      given.now = new Date(given.now.getTime() + 10_000)
      await expect(ask(true)).rejects.toMatchObject({ status: 503 })
      await proxy.restore()
      given.now = new Date(given.now.getTime() + 2_000)
      expect(await ask(true)).toBeDefined()
    } finally {
      await through.close()
    }
  })
})
