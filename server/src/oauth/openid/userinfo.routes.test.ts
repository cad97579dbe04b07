import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createOAuthPlatform,
  hostOf,
  type OAuthPlatform,
  oauthRefusal,
  type SignedIn,
  secretOf,
} from '../../testing/oauth-platform.ts'

let platform: OAuthPlatform
let member: SignedIn
beforeAll(async () => {
  platform = await createOAuthPlatform()
  member = await platform.signIn('acme', 'who@acme.example')
})
afterAll(() => platform.close())

const url = '/oauth/userinfo'
const email = 'who@acme.example'

async function tokenWith(scope: string | null, issued: { member?: SignedIn } = {}): Promise<string> {
  const code = await platform.issue({ member, scope, ...issued })
  return (await platform.exchange(code)).json().access_token
}
const ask = (authorization?: string) =>
  platform.request(hostOf(), { url, headers: { ...(authorization && { authorization }) } })
const statusAndBody = (answer: { statusCode: number; json(): unknown }) => [answer.statusCode, answer.json()]

const openToAll = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, X-Request-Id',
  'cache-control': 'no-store',
}

describe('/oauth/userinfo (OpenID Connect Core 5.3)', () => {
  let created: number
  beforeAll(async () => {
    const { rows } = await platform.database.pool.query('select created_at from members where id = $1', [
      member.memberId,
    ])
    created = Math.floor(rows[0].created_at.getTime() / 1_000)
  })

  test.for([
    ['openid', {}],
    ['openid email', { email, email_verified: true }],
    ['openid profile', { updated_at: expect.any(Number) }],
    ['openid profile email', { email, email_verified: true, updated_at: expect.any(Number) }],
  ] as const)('with the scope %j says sub and no more than it opens', async ([scope, claims]) => {
    const answer = await ask(`Bearer ${await tokenWith(scope)}`)
    expect(statusAndBody(answer)).toEqual([200, { sub: member.memberId, ...claims }])
    const { date: _date, connection: _connection, 'x-request-id': _id, ...headers } = answer.headers
    expect(headers).toEqual({
      ...openToAll,
      'content-type': 'application/json',
      'content-length': String(answer.body.length),
    })
  })

  test('says a name that is known, and when it changed', async () => {
    const token = await tokenWith('openid profile')
    expect((await ask(`Bearer ${token}`)).json()).toEqual({ sub: member.memberId, updated_at: created })
    const before = Math.floor(Date.now() / 1_000)
    await platform.database.pool.query(`update members set name = 'Ada' where id = $1`, [member.memberId])
    const answer = (await ask(`bearer ${token}`)).json()
    expect(answer).toEqual({ sub: member.memberId, name: 'Ada', updated_at: expect.any(Number) })
    expect(answer.updated_at).toBeGreaterThanOrEqual(before)
  })

  test('takes a POST with the token in the header, or in the form (RFC 6750 2.2)', async () => {
    const token = await tokenWith('openid')
    const inForm = await platform.post(url, { access_token: token })
    expect(statusAndBody(inForm)).toEqual([200, { sub: member.memberId }])
    const inHeader = await platform.request(hostOf(), {
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${token}` },
    })
    expect(statusAndBody(inHeader)).toEqual([200, { sub: member.memberId }])
  })

  test('refuses two tokens at once, and one that was sent twice', async () => {
    const token = await tokenWith('openid')
    const headers = { authorization: `Bearer ${token}` }
    const both = await platform.post(url, { access_token: token }, { headers })
    expect(statusAndBody(both)).toEqual([400, oauthRefusal('invalid_request')])
    expect(both.headers['www-authenticate']).toMatch(/^Bearer error="invalid_request", error_description=/)
    const twice = await platform.post(url, `access_token=${token}&access_token=${token}`)
    expect(statusAndBody(twice)).toEqual([400, oauthRefusal('invalid_request')])
  })

  test('answers 401 with a bare challenge to a request without a token, and takes none from the address', async () => {
    for (const at of [url, `${url}?access_token=${await tokenWith('openid')}`]) {
      const answer = await platform.request(hostOf(), { url: at })
      expect(statusAndBody(answer)).toEqual([401, oauthRefusal('invalid_token')])
      expect(answer.headers).toMatchObject({ ...openToAll, 'www-authenticate': 'Bearer' })
    }
  })

  const bad: [string, () => Promise<string>][] = [
    ['rubbish', async () => 'rubbish "quoted" \\ text'],
    ['a device token', async () => member.token],
    [
      'a logout token',
      () =>
        platform.members.signLogoutToken(platform.tenants.acme, {
          sub: member.memberId,
          sid: member.sessionId,
          aud: 'partner',
        }),
    ],
    [
      'a token of another tenant',
      async () => {
        const code = await platform.issue({ slug: 'globe', scope: 'openid' })
        const form = { client_secret: secretOf('partner', 'globe') }
        return (await platform.exchange(code, form, { host: hostOf('globe') })).json().access_token
      },
    ],
    [
      'a revoked token',
      async () => {
        const token = await tokenWith('openid')
        const form = { token, client_id: 'partner', client_secret: secretOf('partner') }
        await platform.post('/oauth/revoke', form)
        return token
      },
    ],
    [
      'a token whose session has ended',
      async () => {
        const other = await platform.signIn('acme', 'ended@acme.example')
        const code = await platform.issue({ member: other, origin: 'prompt_none', scope: 'openid' })
        const token = (await platform.exchange(code)).json().access_token
        const { memberId, sessionId } = other
        await platform.members.endSession(platform.tenants.acme.id, { memberId, sessionId, now: new Date() })
        return token
      },
    ],
  ]
  test.for(bad)('answers invalid_token to %s', async ([, make]) => {
    const answer = await ask(`Bearer ${await make()}`)
    expect(statusAndBody(answer)).toEqual([401, oauthRefusal('invalid_token')])
    expect(answer.headers['www-authenticate']).toMatch(
      /^Bearer error="invalid_token", error_description="[^"\\]+"$/,
    )
    expect(answer.headers).toMatchObject(openToAll)
  })

  test('answers invalid_token to a token of a client that was disabled meanwhile', async () => {
    const client = { client_id: 'neighbour', client_secret: secretOf('neighbour') }
    const code = await platform.issue({ member, scope: 'openid', clientId: 'neighbour' })
    const { access_token: token } = (await platform.exchange(code, client)).json()
    expect((await ask(`Bearer ${token}`)).statusCode).toBe(200)
    const enable = (enabled: boolean) =>
      platform.database.pool.query(`update oauth_clients set enabled = $1 where client_id = 'neighbour'`, [
        enabled,
      ])
    await enable(false)
    await expect.poll(async () => (await ask(`Bearer ${token}`)).statusCode).toBe(401)
    await enable(true)
    await expect.poll(async () => (await ask(`Bearer ${token}`)).statusCode).toBe(200)
  })

  test.for([null, 'profile email'])('answers insufficient_scope to a token of the scope %j', async scope => {
    const answer = await ask(`Bearer ${await tokenWith(scope)}`)
    expect(statusAndBody(answer)).toEqual([403, oauthRefusal('insufficient_scope')])
    expect(answer.headers['www-authenticate']).toMatch(
      /^Bearer error="insufficient_scope", error_description="[^"\\]+", scope="openid"$/,
    )
  })

  test('answers the preflight of a page of any origin', async () => {
    const answer = await platform.request(hostOf(), {
      method: 'OPTIONS',
      url,
      headers: { origin: 'https://spa.partner.example', 'access-control-request-method': 'POST' },
    })
    expect([answer.statusCode, answer.body]).toEqual([204, ''])
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'Authorization, Content-Type',
      'access-control-max-age': '600',
    })
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
  })
})
