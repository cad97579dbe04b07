import { createHmac, createSign, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createOAuthPlatform,
  hostOf,
  issuerOf,
  type OAuthPlatform,
  oauthRefusal,
  secretOf,
} from '../testing/oauth-platform.ts'

let platform: OAuthPlatform
beforeAll(async () => {
  platform = await createOAuthPlatform()
})
afterAll(() => platform.close())

const partner = { client_id: 'partner', client_secret: secretOf('partner') }
const neighbour = { client_id: 'neighbour', client_secret: secretOf('neighbour') }
const introspect = (token: string, client: Record<string, string> = partner) =>
  platform.post('/oauth/introspect', { token, ...client })
const revoke = (token: string, client: Record<string, string> = partner) =>
  platform.post('/oauth/revoke', { token, ...client })
const issueToken = async (options: Parameters<OAuthPlatform['issue']>[0] = {}): Promise<string> =>
  (await platform.exchange(await platform.issue(options))).json().access_token

describe.for(['/oauth/introspect', '/oauth/revoke'])('POST %s', path => {
  test('wants a client that says who it is, and a token', async () => {
    const answers: [Record<string, string>, number, string][] = [
      [{ token: 'x' }, 400, 'invalid_client'],
      [{ token: 'x', ...partner, client_secret: 'wrong' }, 400, 'invalid_client'],
      [{ token: 'x', client_id: 'off', client_secret: secretOf('off') }, 400, 'invalid_client'],
      [{ token: 'x', ...partner, client_secret: secretOf('partner', 'globe') }, 400, 'invalid_client'],
      [partner, 400, 'invalid_request'],
      [{ ...partner, token: '' }, 400, 'invalid_request'],
    ]
    for (const [form, status, error] of answers) {
      const answer = await platform.post(path, form)
      expect([answer.statusCode, answer.json()]).toEqual([status, oauthRefusal(error)])
      expect(answer.headers['cache-control']).toBe('no-store')
    }
  })

  test('takes HTTP Basic, and refuses a wrong one with 401', async () => {
    const withBasic = (secret: string) =>
      platform.post(
        path,
        { token: 'x' },
        { headers: { authorization: `Basic ${Buffer.from(`partner:${secret}`).toString('base64')}` } },
      )
    expect((await withBasic(secretOf('partner'))).statusCode).toBe(200)
    const refused = await withBasic('wrong')
    expect([refused.statusCode, refused.json()]).toEqual([401, oauthRefusal('invalid_client')])
    expect(refused.headers['www-authenticate']).toMatch(/^Basic /)
  })
})

describe('POST /oauth/introspect (RFC 7662)', () => {
  test('says what a good token says, to every client of the tenant', async () => {
    const member = await platform.signIn()
    const token = await issueToken({ member })
    for (const client of [partner, neighbour]) {
      const answer = await introspect(token, client)
      const body = answer.json()
      expect([answer.statusCode, body]).toEqual([
        200,
        {
          active: true,
          token_type: 'Bearer',
          iss: issuerOf(),
          sub: member.memberId,
          aud: [issuerOf(), 'partner'],
          azp: 'partner',
          client_id: 'partner',
          sid: expect.any(String),
          jti: expect.any(String),
          iat: expect.any(Number),
          exp: body.iat + 2_592_000,
        },
      ])
    }
  })

  test("says no more of another tenant's token than that it is not good", async () => {
    const token = await issueToken()
    const answer = await platform.post(
      '/oauth/introspect',
      { token, client_id: 'partner', client_secret: secretOf('partner', 'globe') },
      { host: hostOf('globe') },
    )
    expect([answer.statusCode, answer.json()]).toEqual([200, { active: false }])
  })

  test('knows no device token (threats, OAuth)', async () => {
    const { token } = await platform.signIn()
    expect((await introspect(token)).json()).toEqual({ active: false })
  })
})

describe('a token that is forged or spent (threats, OAuth)', () => {
  const encode = (part: object | string) =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signed = (header: object, claims: object): string => {
    const content = `${encode(header)}.${encode(claims)}`
    return `${content}.${createSign('sha256').update(content).sign(own.privateKey, 'base64url')}`
  }
  async function parts() {
    const token = await issueToken()
    const [header = '', claims = '', signature = ''] = token.split('.')
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    return { token, header: read(header), claims: read(claims), raw: { header, claims, signature } }
  }
  type Parts = Awaited<ReturnType<typeof parts>>

  async function publicPem(kid: string): Promise<string> {
    const { keys } = (await platform.request(hostOf(), { url: '/.well-known/jwks.json' })).json()
    const { createPublicKey } = await import('node:crypto')
    const key = keys.find((one: { kid: string }) => one.kid === kid)
    return createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString()
  }

  test.for<[string, (token: Parts) => string | Promise<string>]>([
    ['with alg none', ({ header, raw }) => `${encode({ ...header, alg: 'none' })}.${raw.claims}.`],
    [
      'with alg None and its signature',
      ({ header, raw }) => `${encode({ ...header, alg: 'None' })}.${raw.claims}.${raw.signature}`,
    ],
    [
      'with HS256 and the public key for its secret',
      async ({ header, raw }) => {
        const content = `${encode({ ...header, alg: 'HS256' })}.${raw.claims}`
        const hmac = createHmac('sha256', await publicPem(header.kid)).update(content)
        return `${content}.${hmac.digest('base64url')}`
      },
    ],
    [
      'signed by a key that it brings along',
      ({ header, claims }) => signed({ ...header, jwk: own.publicKey.export({ format: 'jwk' }) }, claims),
    ],
    [
      'signed by a key that it names an address of',
      ({ header, claims }) =>
        signed({ ...header, jku: 'http://127.0.0.1:9/jwks.json', x5u: 'http://127.0.0.1:9/' }, claims),
    ],
    [
      'with a kid that is a path',
      ({ header, claims }) => signed({ ...header, kid: '../../dev/null' }, claims),
    ],
    ['with a kid that is SQL', ({ header, claims }) => signed({ ...header, kid: "' or 1=1 --" }, claims)],
    [
      'with a kid that every object has',
      ({ header, claims }) => signed({ ...header, kid: '__proto__' }, claims),
    ],
    ['with a kid that is no text', ({ header, claims }) => signed({ ...header, kid: [header.kid] }, claims)],
    ['without a kid', ({ header: { kid: _kid, ...header }, claims }) => signed(header, claims)],
    [
      'with other claims',
      ({ raw, claims }) => `${raw.header}.${encode({ ...claims, sub: 'x' })}.${raw.signature}`,
    ],
    [
      'of another typ',
      ({ header, raw }) => `${encode({ ...header, typ: 'JWT' })}.${raw.claims}.${raw.signature}`,
    ],
    ['with its signature cut', ({ token }) => token.slice(0, -10)],
    ['with something after it', ({ token }) => `${token}.x`],
    ['with a space before it', ({ token }) => ` ${token}`],
    [
      "signed with another tenant's key",
      async () => {
        const code = await platform.issue({ slug: 'globe' })
        const secret = { client_secret: secretOf('partner', 'globe') }
        return (await platform.exchange(code, secret, { host: hostOf('globe') })).json().access_token
      },
    ],
    ['that is empty but for dots', () => '..'],
    ['of a hundred thousand characters', ({ token }) => token + 'x'.repeat(50_000)],
    [
      'that is expired',
      async ({ claims }) => {
        await platform.database.pool.query(
          `update member_tokens set expires_at = now() - interval '1 second' where id = $1`,
          [claims.jti],
        )
        await platform.database.pool.query(
          `update member_sessions set expires_at = now() - interval '1 second' where id = $1`,
          [claims.sid],
        )
        return await platform.members.signAccessToken(platform.tenants.acme, {
          memberId: claims.sub,
          sessionId: claims.sid,
          tokenId: claims.jti,
          clientId: 'partner',
          issuedAt: new Date(Date.now() - 100_000),
          expiresAt: new Date(Date.now() - 1_000),
        })
      },
    ],
  ])('%s is not good', async ([, forge]) => {
    const good = await parts()
    expect(await platform.isActive(good.token)).toBe(true)
    const forged = await forge(good)
    const answer = await introspect(forged)
    expect([answer.statusCode, answer.json()]).toEqual([200, { active: false }])
    // It revokes nothing either.
    expect((await revoke(forged)).statusCode).toBe(200)
  })

  test('whose session was ended is not good, at once', async () => {
    const { token, claims } = await parts()
    await platform.members.endSession(platform.tenants.acme.id, {
      memberId: claims.sub,
      sessionId: claims.sid,
      now: new Date(),
    })
    expect(await platform.isActive(token)).toBe(false)
  })
})

describe('POST /oauth/revoke (RFC 7009)', () => {
  test("ends the client's token, and the session that was made for it", async () => {
    const member = await platform.signIn('acme', 'revoked@acme.example')
    const token = await issueToken({ member })
    const answer = await revoke(token)
    expect([answer.statusCode, answer.json()]).toEqual([200, {}])
    expect(await platform.isActive(token)).toBe(false)
    const sessions = await platform.members.listSessions(
      platform.tenants.acme.id,
      member.memberId,
      new Date(),
    )
    expect(sessions.map(({ kind }) => kind)).toEqual(['device'])
    expect((await revoke(token)).statusCode).toBe(200)
  })

  test("ends a token that rides the browser's session, and not that session", async () => {
    const member = await platform.signIn('acme', 'rides@acme.example')
    const [token, other] = [
      await issueToken({ member, origin: 'probe' }),
      await issueToken({ member, origin: 'prompt_none' }),
    ]
    await revoke(token)
    expect([await platform.isActive(token), await platform.isActive(other)]).toEqual([false, true])
    const browser = { tenant: platform.tenants.acme, cookieHeader: member.cookie }
    expect(await platform.members.findBrowserSession(browser)).toMatchObject({ sessionId: member.sessionId })
  })

  test("leaves another client's token as it is, and a device token, and says the same", async () => {
    const token = await issueToken()
    const answer = await revoke(token, neighbour)
    expect([answer.statusCode, answer.json()]).toEqual([200, {}])
    expect(await platform.isActive(token)).toBe(true)
    const member = await platform.signIn()
    expect((await revoke(member.token)).statusCode).toBe(200)
    const browser = { tenant: platform.tenants.acme, cookieHeader: member.cookie }
    expect(await platform.members.findBrowserSession(browser)).toBeDefined()
  })
})
