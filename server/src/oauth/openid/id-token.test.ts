import { hash } from 'node:crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createOAuthPlatform,
  hostOf,
  issuerOf,
  type OAuthPlatform,
  type SignedIn,
  secretOf,
} from '../../testing/oauth-platform.ts'

let platform: OAuthPlatform
beforeAll(async () => {
  platform = await createOAuthPlatform()
})
afterAll(() => platform.close())

const issuedAgo = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds

/** Exchanges a code that was asked for with a scope. */
async function exchange(issued: Parameters<OAuthPlatform['issue']>[0]): Promise<Record<string, unknown>> {
  return (await platform.exchange(await platform.issue(issued))).json()
}

/** Verifies an id_token with the published keys, as a client does. */
async function verify(idToken: unknown) {
  const keys = (await platform.request(hostOf(), { url: '/.well-known/jwks.json' })).json()
  return jwtVerify(String(idToken), createLocalJWKSet(keys), { issuer: issuerOf(), audience: 'partner' })
}
const claimsOf = (token: unknown) =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString())

describe('the id_token of a code exchange (decisions, OAuth; OpenID Connect Core 2)', () => {
  let member: SignedIn
  beforeAll(async () => {
    member = await platform.signIn('acme', 'openid@acme.example')
  })

  test('comes beside the three fields with the scope openid, and the published keys verify it', async () => {
    const answer = await exchange({ member, scope: 'openid profile email', nonce: 'n-0S6_WzA2Mj' })
    expect(Object.keys(answer).toSorted()).toEqual(['access_token', 'expires_in', 'id_token', 'token_type'])
    const { payload, protectedHeader } = await verify(answer.id_token)
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) })
    const accessTokenHash = hash('sha256', String(answer.access_token), 'buffer')
    expect(payload).toEqual({
      iss: issuerOf(),
      sub: member.memberId,
      aud: 'partner',
      azp: 'partner',
      iat: expect.any(Number),
      exp: Number(payload.iat) + 3_600,
      auth_time: claimsOf(member.token).iat,
      nonce: 'n-0S6_WzA2Mj',
      at_hash: accessTokenHash.subarray(0, 16).toString('base64url'),
      sid: member.sessionId,
      email: 'openid@acme.example',
      email_verified: true,
      updated_at: expect.any(Number),
    })
    expect(payload.iat).toBeGreaterThan(issuedAgo(60))
  })

  test.for(['probe', 'prompt_none', 'interactive'] as const)(
    'says of the member what userinfo says, by the scopes that were granted, with a %s code',
    async origin => {
      const { rows } = await platform.database.pool.query(
        `update members set name = 'Ada' where id = $1 returning floor(extract(epoch from updated_at))::int as at`,
        [member.memberId],
      )
      const byEmail = { email: 'openid@acme.example', email_verified: true }
      const byProfile = { name: 'Ada', updated_at: rows[0].at }
      for (const [scope, told] of [
        ['openid', {}],
        ['openid emails profiles', {}],
        ['openid email', byEmail],
        ['profile openid', byProfile],
        ['email profile openid phone', { ...byEmail, ...byProfile }],
      ] as const) {
        const answer = await exchange({ member, origin, scope })
        const { email, email_verified, name, updated_at } = claimsOf(answer.id_token)
        expect([scope, { email, email_verified, name, updated_at }]).toEqual([scope, told])
        const headers = { authorization: `Bearer ${answer.access_token}` }
        const userInfo = await platform.request(hostOf(), { url: '/oauth/userinfo', headers })
        expect(userInfo.json()).toEqual({ sub: member.memberId, ...told })
      }
      await platform.database.pool.query('update members set name = null where id = $1', [member.memberId])
    },
  )

  test('says it of each member, where exchanges share their statement', async () => {
    const scope = 'openid email'
    const members = await Promise.all(
      Array.from({ length: 12 }, (_, at) => platform.signIn('acme', `many-${at}@acme.example`)),
    )
    const codes = await Promise.all(
      members.map((one, at) => platform.issue({ member: one, scope: at % 3 === 0 ? 'openid' : scope })),
    )
    const answers = await Promise.all(codes.map(async code => (await platform.exchange(code)).json()))
    expect(answers.map(answer => claimsOf(answer.id_token).email)).toEqual(
      members.map((_, at) => (at % 3 === 0 ? undefined : `many-${at}@acme.example`)),
    )
  })

  test('has no nonce where none was sent', async () => {
    const { id_token: idToken } = await exchange({ member, scope: 'openid' })
    expect(claimsOf(idToken)).not.toHaveProperty('nonce')
  })

  test('says when the member signed in on that browser, not when the code was issued', async () => {
    const { rows } = await platform.database.pool.query(
      `update member_sessions set created_at = created_at - interval '2 hours' where id = $1 returning created_at`,
      [member.sessionId],
    )
    const { id_token: idToken } = await exchange({ member, scope: 'openid' })
    expect(claimsOf(idToken).auth_time).toBe(rows[0].created_at.getTime() / 1_000)
  })

  test.for(['probe', 'prompt_none'] as const)('is of the device session with a %s code', async origin => {
    const answer = await exchange({ member, origin, scope: 'openid' })
    expect(claimsOf(answer.id_token).sid).toBe(member.sessionId)
    expect(claimsOf(answer.access_token).sid).toBe(member.sessionId)
  })

  test.for([null, '', 'profile email', 'OPENID', 'openid2', 'xopenid openidx', 'openid,profile'])(
    'does not come with the scope %j: the answer has its three fields, and the access token no scope',
    async scope => {
      const answer = await exchange({ member, scope })
      expect(Object.keys(answer).toSorted()).toEqual(['access_token', 'expires_in', 'token_type'])
      expect(claimsOf(answer.access_token)).not.toHaveProperty('scope')
    },
  )

  test.for([
    ['openid', undefined, 'openid'],
    ['email openid', undefined, 'openid email'],
    ['email  openid email profile', undefined, 'openid profile email'],
    ['openid offline_access', 'openid', 'openid'],
    ['phone profile openid address', 'openid profile', 'openid profile'],
  ])('with %j the answer has the scope %j, and the access token %j', async ([scope, told, granted]) => {
    const answer = await exchange({ member, scope: String(scope) })
    expect(answer.scope).toBe(told)
    expect(claimsOf(answer.access_token).scope).toBe(granted)
    const introspected = await platform.post('/oauth/introspect', {
      token: String(answer.access_token),
      client_id: 'neighbour',
      client_secret: secretOf('neighbour'),
    })
    expect(introspected.json()).toMatchObject({ active: true, scope: granted })
  })
})

describe.for(['an id_token', 'a logout token'])('%s in the place of another token (threats, OAuth)', kind => {
  let token: string
  beforeAll(async () => {
    const member = await platform.signIn()
    const answer = await exchange({ member, scope: 'openid', origin: 'prompt_none' })
    token = String(answer.id_token)
    if (kind === 'a logout token')
      token = await platform.members.signLogoutToken(platform.tenants.acme, {
        ...claimsOf(answer.access_token),
      })
  })

  test('is nobody in the cookie', async () => {
    const query = new URLSearchParams({
      client_id: 'partner',
      redirect_uri: 'https://app.partner.example/callback',
      response_type: 'code',
      prompt: 'none',
    })
    const answer = await platform.request(hostOf(), {
      url: `/oauth/authorize?${query}`,
      headers: { cookie: `_SERVICET=${token}` },
    })
    expect(String(answer.headers.location)).toContain('error=login_required')
  })

  test.for(['/api/sdk/member', '/api/sdk/member/sessions', '/oauth/userinfo'])(
    'is no Bearer token at %s',
    async url => {
      const headers = { authorization: `Bearer ${token}` }
      expect((await platform.request(hostOf(), { url, headers })).statusCode).toBe(401)
    },
  )

  test('is not active at introspection', async () => {
    expect(await platform.isActive(token)).toBe(false)
  })
})
