import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import {
  openTestMembers,
  signInTestMember,
  startTestIntegration,
  type TestAccess,
  type TestSignIn,
} from '../testing/members.ts'
import { createWholePlatform, platformHost, tokens, type WholePlatform } from '../testing/whole-platform.ts'
import type { Members } from './index.ts'

const host = 'members.acme.example'
let platform: WholePlatform
let members: Members
let ada: TestSignIn
beforeAll(async () => {
  platform = await createWholePlatform()
})
afterAll(() => platform.close())
beforeEach(async () => {
  members = openTestMembers(platform.database)
  ada = await signInTestMember(members, platform.database, {
    email: `ada.${uuidv7()}@example.com`,
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0',
  })
})
afterEach(() => members.close())

async function send(
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  token?: string,
  options: { headers?: Record<string, string> } = {},
) {
  const answer = await platform.request(host, {
    method,
    url,
    ...options,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...options.headers },
  })
  const { date: _date, connection: _connection, 'x-request-id': _id, ...headers } = answer.headers
  return { status: answer.statusCode, headers, body: answer.body === '' ? undefined : answer.json() }
}
const sessionsOf = async (token: string) => (await send('GET', '/api/sdk/member/sessions', token)).body.data

const cors = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, X-Request-Id',
  'cache-control': 'no-store',
}
const json = {
  ...cors,
  'content-type': 'application/json',
  'content-length': expect.stringMatching(/^\d+$/),
}
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)

/** An integration session of ada's with its access token. */
async function issueAccessToken(): Promise<TestAccess> {
  await platform.database.pool.query(
    `insert into oauth_clients (tenant_id, client_id, name, secret_hash, redirect_uris, created_at, updated_at, secret_changed_at)
     values ($1, 'partner', 'Partner', sha256('x'), '{https://partner.example/}', now(), now(), now()) on conflict do nothing`,
    [ada.tenant.id],
  )
  return startTestIntegration(members, platform.database, ada)
}

describe('GET /api/sdk/member (decisions, "The member\'s API")', () => {
  test('says who is signed in, to a device token and to an access token', async () => {
    for (const { token } of [ada, await issueAccessToken()])
      expect(await send('GET', '/api/sdk/member', token)).toEqual({
        status: 200,
        headers: json,
        body: { data: { id: ada.member.id, email: ada.member.email, name: null, created_at: timestamp } },
      })
  })

  test.for<[what: string, headers: () => Record<string, string> | Promise<Record<string, string>>]>([
    ['no token', () => ({})],
    ['an API key', () => ({ authorization: `Bearer ${tokens.acme}` })],
    ['the cookie alone', () => ({ cookie: `_SERVICET=${ada.token}` })],
    ['another scheme', () => ({ authorization: `Basic ${ada.token}` })],
    ['two tokens', () => ({ authorization: `Bearer ${ada.token} ${ada.token}` })],
    ['a cut token', () => ({ authorization: `Bearer ${ada.token.slice(0, -1)}` })],
    [
      "another tenant's token",
      async () => {
        const bob = await signInTestMember(members, platform.database, { slug: 'globe' })
        return { authorization: `Bearer ${bob.token}` }
      },
    ],
  ])('is 401 to %s', async ([, make]) => {
    expect(await send('GET', '/api/sdk/member', undefined, { headers: await make() })).toEqual({
      status: 401,
      headers: { ...json, 'www-authenticate': 'Bearer' },
      body: { message: expect.stringMatching(/token/) },
    })
  })

  test('is 401 to the token of a disabled client, at once', async () => {
    const { token } = await issueAccessToken()
    expect((await send('GET', '/api/sdk/member', token)).status).toBe(200)
    await platform.database.pool.query(`update oauth_clients set enabled = false where client_id = 'partner'`)
    await expect.poll(async () => (await send('GET', '/api/sdk/member', token)).status).toBe(401)
    await platform.database.pool.query(`update oauth_clients set enabled = true where client_id = 'partner'`)
    await expect.poll(async () => (await send('GET', '/api/sdk/member', token)).status).toBe(200)
  })

  test("is there on the tenant's domain only", async () => {
    const at = async (where: string) =>
      (await send('GET', '/api/sdk/member', ada.token, { headers: { host: where } })).status
    expect(await at(platformHost)).toBe(404)
    expect(await at('unknown.example')).toBe(404)
    expect(await at('accounts.acme.example')).toBe(302)
    expect(await at('members.globe.example')).toBe(401)
  })
})

describe('the sessions of a member', () => {
  test('are listed with device, place and time, the one in use last first', async () => {
    const early = new Date(Date.now() - 3_600_000)
    const other = await signInTestMember(members, platform.database, {
      email: ada.member.email,
      userAgent: 'Mozilla/5.0 (iPhone) Version/18.5 Safari/604.1',
      address: '2001:db8::7',
      now: early,
    })
    const integration = await issueAccessToken()
    const eve = await signInTestMember(members, platform.database, { email: 'eve@example.com' })
    const { status, headers, body } = await send('GET', '/api/sdk/member/sessions', ada.token)
    expect([status, headers]).toEqual([200, json])
    expect(body.data).toHaveLength(3)
    expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(eve.sessionId)
    expect(body.data.find(({ id }: { id: string }) => id === ada.sessionId)).toEqual({
      id: ada.sessionId,
      kind: 'device',
      client: null,
      device: 'Firefox on Windows',
      address: '192.0.2.1',
      created_at: timestamp,
      last_seen_at: timestamp,
      last_seen_address: '192.0.2.1',
      expires_at: timestamp,
      current: true,
    })
    expect(body.data.find(({ id }: { id: string }) => id === integration.sessionId)).toMatchObject({
      kind: 'integration',
      client: { client_id: 'partner', name: 'Partner' },
      device: 'Unknown device',
      current: false,
    })
    expect(body.data[2]).toMatchObject({
      id: other.sessionId,
      device: 'Safari on iPhone',
      address: '2001:db8::7',
      current: false,
    })
  })

  test('are ended one by one, and the others go on', async () => {
    const other = await signInTestMember(members, platform.database, { email: ada.member.email })
    const integration = await issueAccessToken()
    const end = (id: string) => send('DELETE', `/api/sdk/member/sessions/${id}`, ada.token)
    expect((await send('GET', '/api/sdk/member', other.token)).status).toBe(200)
    expect(await end(other.sessionId.toUpperCase())).toEqual({ status: 204, headers: cors, body: undefined })
    expect((await send('GET', '/api/sdk/member', other.token)).status).toBe(401)
    expect((await sessionsOf(ada.token)).map(({ id }: { id: string }) => id)).toEqual([
      integration.sessionId,
      ada.sessionId,
    ])
    expect((await end(integration.sessionId)).status).toBe(204)
    expect((await send('GET', '/api/sdk/member', integration.token)).status).toBe(401)
    expect((await end(ada.sessionId)).status).toBe(204)
    expect((await end(ada.sessionId)).status).toBe(401)
  })

  test("are nobody else's to end: another member's, another tenant's, one that ended, and none are 404 alike", async () => {
    const eve = await signInTestMember(members, platform.database, { email: 'eve@example.com' })
    const bob = await signInTestMember(members, platform.database, { slug: 'globe' })
    const gone = await signInTestMember(members, platform.database, { email: ada.member.email })
    await members.endSession(ada.tenant.id, {
      memberId: ada.member.id,
      sessionId: gone.sessionId,
      now: new Date(),
    })
    for (const { sessionId } of [eve, bob, gone, { sessionId: uuidv7() }])
      expect(await send('DELETE', `/api/sdk/member/sessions/${sessionId}`, ada.token)).toEqual({
        status: 404,
        headers: json,
        body: { message: 'The member has no such session, or it has ended already.' },
      })
    expect((await send('GET', '/api/sdk/member', eve.token)).status).toBe(200)
    expect(
      (await send('GET', '/api/sdk/member', bob.token, { headers: { host: 'members.globe.example' } }))
        .status,
    ).toBe(200)
  })

  test('are named by UUIDs; anything else is 422', async () => {
    const answer = await send('DELETE', '/api/sdk/member/sessions/x', ada.token)
    expect([answer.status, answer.body]).toEqual([
      422,
      { message: 'session_id must be a UUID.', errors: { session_id: ['session_id must be a UUID.'] } },
    ])
  })

  test('say where they were seen last, written at most once in five minutes', async () => {
    const seen = async () => {
      const { rows } = await platform.database.pool.query(
        'select last_seen_at, host(last_seen_address) as address, xmin from member_sessions where id = $1',
        [ada.sessionId],
      )
      return rows[0]
    }
    const before = await seen()
    await send('GET', '/api/sdk/member', ada.token)
    expect(await seen()).toEqual(before)
    await platform.database.pool.query(
      `update member_sessions set last_seen_at = now() - interval '301 seconds' where id = $1`,
      [ada.sessionId],
    )
    const members2 = openTestMembers(platform.database)
    await members2.noteSeen(ada.tenant.id, {
      sessionId: ada.sessionId,
      address: '198.51.100.9',
      now: new Date(),
    })
    const noted = await seen()
    expect(noted.address).toBe('198.51.100.9')
    expect(Date.now() - noted.last_seen_at.getTime()).toBeLessThan(60_000)
    await members2.noteSeen(ada.tenant.id, { sessionId: ada.sessionId, address: '', now: new Date() })
    expect(await seen()).toEqual(noted)
    await members2.close()
  })
})

describe('POST /api/sdk/sign-out', () => {
  test("ends the token's own session, at once, and no other", async () => {
    const other = await signInTestMember(members, platform.database, { email: ada.member.email })
    expect(await send('POST', '/api/sdk/sign-out', ada.token)).toEqual({
      status: 204,
      headers: cors,
      body: undefined,
    })
    expect((await send('POST', '/api/sdk/sign-out', ada.token)).status).toBe(401)
    expect((await send('GET', '/api/sdk/member', ada.token)).status).toBe(401)
    expect((await send('GET', '/api/sdk/member', other.token)).status).toBe(200)
  })

  test("of an integration leaves the browser's session", async () => {
    const { token } = await issueAccessToken()
    expect((await send('POST', '/api/sdk/sign-out', token)).status).toBe(204)
    expect((await send('GET', '/api/sdk/member', token)).status).toBe(401)
    expect((await send('GET', '/api/sdk/member', ada.token)).status).toBe(200)
  })
})

describe('a page of another origin', () => {
  test.for([
    ['/api/sdk/member', 'GET'],
    ['/api/sdk/member/sessions', 'GET'],
    ['/api/sdk/member/sessions/0197c2d4-5e00-7a31-9c55-1f2e3d4c5b6b', 'DELETE'],
    ['/api/sdk/sign-out', 'POST'],
  ] as const)('may ask for %s, and is told so by the preflight', async ([url, method]) => {
    const answer = await platform.request(host, {
      method: 'OPTIONS',
      url,
      headers: { origin: 'https://news.example', 'access-control-request-method': method },
    })
    expect(answer.statusCode).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': method,
      'access-control-allow-headers': 'Authorization, Content-Type',
      'access-control-max-age': '600',
    })
    // Cookies are not asked for, and would not count.
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
  })
})
