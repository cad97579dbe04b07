import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { openTestMembers, signInTestMember, startTestIntegration } from '../testing/members.ts'
import { applyTestPlatform } from '../testing/platform.ts'
import type { Members } from './index.ts'

const platformFile = `
tenants:
  - { slug: acme, name: Acme, domain: members.acme.example, cookie_domain: acme.example }
  - { slug: globe, name: Globe, domain: members.globe.example }
  - { slug: closed, name: Closed, domain: members.closed.example, sign_up: closed }
`
let database: TestDatabase
let members: Members
beforeAll(async () => {
  database = await createTestDatabase()
  await applyTestPlatform(database, platformFile)
  members = openTestMembers(database)
})
afterAll(async () => {
  await members.close()
  await database.drop()
})

const signIn = (options: { email?: string; slug?: string; secondsAgo?: number } = {}) =>
  signInTestMember(members, database, {
    ...options,
    now: new Date(Date.now() - (options.secondsAgo ?? 0) * 1_000),
  })
const cookies = (...values: string[]) => values.map(value => `_SERVICET=${value}`).join('; ')

describe('who is signed in on a browser (decisions, "Silent sign-in")', () => {
  test('is the member of the device token in the cookie', async () => {
    const ada = await signIn()
    const { tenant } = ada
    expect(
      await members.findBrowserSession({ tenant, cookieHeader: `a=1; ${cookies(ada.token)}; b=2` }),
    ).toEqual({
      sessionId: ada.sessionId,
      member: ada.member,
      signedInAt: expect.any(Date),
      expiresAt: expect.any(Date),
    })
  })

  test('is, of several cookies, the newest that is valid, wherever it stands', async () => {
    const mine = await signIn({ secondsAgo: 10 })
    // What a sibling host could plant: an older sign-in of somebody else's, another tenant's, nonsense, one that ended.
    const eve = await signIn({ email: 'eve@example.com', secondsAgo: 20 })
    const globe = await signIn({ slug: 'globe' })
    const ended = await signIn()
    const { tenant, member } = mine
    await members.endSession(tenant.id, {
      memberId: member.id,
      sessionId: ended.sessionId,
      now: new Date(),
    })
    const planted = [eve.token, globe.token, ended.token, 'nonsense', '']
    for (const cookieHeader of [
      cookies(mine.token, ...planted),
      cookies(...planted, mine.token),
      cookies(planted[0] ?? '', mine.token, ...planted.slice(1)),
    ]) {
      const session = await members.findBrowserSession({ tenant, cookieHeader })
      expect(session?.sessionId).toBe(mine.sessionId)
    }
  })

  test('is nobody where the cookie holds an access token, of whatever client (threats, "OAuth")', async () => {
    const { tenant, member } = await signIn()
    const { token } = await startTestIntegration(members, database, { tenant, member })
    expect(await members.verifyMemberToken({ tenant, token, kinds: ['access'] })).toBeDefined()
    expect(await members.findBrowserSession({ tenant, cookieHeader: cookies(token) })).toBeUndefined()
  })

  test('is nobody without a cookie, or with one of another name', async () => {
    const { tenant, token } = await signIn()
    for (const cookieHeader of [undefined, '', `_servicet=${token}`, `x_SERVICET=${token}`])
      expect(await members.findBrowserSession({ tenant, cookieHeader })).toBeUndefined()
  })

  test('writes nothing', async () => {
    const { tenant, token, sessionId } = await signIn({ secondsAgo: 1_000 })
    const row = async () =>
      (await database.pool.query('select xmin, * from member_sessions where id = $1', [sessionId])).rows[0]
    const before = await row()
    expect(await members.findBrowserSession({ tenant, cookieHeader: cookies(token) })).toBeDefined()
    expect(await row()).toEqual(before)
  })
})

describe('the member of a mail address', () => {
  test('is made once, also when many sign up with it at once, in any case', async () => {
    const { tenant } = await signIn()
    const found = await Promise.all(
      ['New@Example.com', 'new@example.com', 'NEW@EXAMPLE.COM', 'new@example.com'].map(email =>
        members.findOrCreateMember(database.db, tenant, email, new Date()),
      ),
    )
    expect(new Set(found.map(member => member?.id)).size).toBe(1)
    expect(found[0]?.email).toBe('new@example.com')
  })

  test("is one of each tenant's", async () => {
    const email = 'both@example.com'
    const [acme, globe] = [await signIn({ email }), await signIn({ email, slug: 'globe' })]
    expect(acme.member.id).not.toBe(globe.member.id)
    expect(await members.findMember(globe.tenant.id, acme.member.id)).toBeUndefined()
  })

  test('is not made where sign-up is closed, and found where it is', async () => {
    await expect(signIn({ slug: 'closed' })).rejects.toThrow('takes no new members')
    await database.pool.query(
      `insert into members (tenant_id, id, email, created_at)
       select id, gen_random_uuid(), 'ada@example.com', now() from tenants where slug = 'closed'`,
    )
    expect((await signIn({ slug: 'closed' })).member.email).toBe('ada@example.com')
  })
})
