import { createPublicKey, hash, verify } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  callback,
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

const statusAndBody = (answer: { statusCode: number; json(): unknown }) => [answer.statusCode, answer.json()]

/** The parts of a token, without a look at its signature. */
function decode(token: string): { header: Record<string, unknown>; claims: Record<string, unknown> } {
  const [header, claims] = token.split('.').map(part => Buffer.from(part, 'base64url').toString())
  return { header: JSON.parse(header ?? ''), claims: JSON.parse(claims ?? '') }
}

const basic = (clientId: string, secret: string) =>
  `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`

describe('POST /oauth/token (interface 4.7)', () => {
  test('answers a token response with exactly three fields, and no-store', async () => {
    const answer = await platform.exchange(await platform.issue())
    expect(statusAndBody(answer)).toEqual([
      200,
      { access_token: expect.any(String), token_type: 'Bearer', expires_in: 2_592_000 },
    ])
    const { date: _date, connection: _connection, 'x-request-id': id, ...headers } = answer.headers
    expect(headers).toEqual({
      'content-type': 'application/json',
      'content-length': String(answer.body.length),
      'cache-control': 'no-store',
      pragma: 'no-cache',
    })
    expect(id).toEqual(expect.any(String))
  })

  test("answers an RS256 JWT that the tenant's published keys verify (decisions, OAuth)", async () => {
    const member = await platform.signIn()
    const before = Math.floor(Date.now() / 1_000)
    const { access_token: token } = (await platform.exchange(await platform.issue({ member }))).json()
    const { header, claims } = decode(token)
    expect(header).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) })
    expect(claims).toEqual({
      iss: issuerOf(),
      sub: member.memberId,
      aud: [issuerOf(), 'partner'],
      azp: 'partner',
      client_id: 'partner',
      sid: expect.not.stringMatching(member.sessionId),
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: Number(claims.iat) + 2_592_000,
    })
    expect(claims.iat).toBeGreaterThanOrEqual(before)
    const { keys } = (await platform.request(hostOf(), { url: '/.well-known/jwks.json' })).json()
    const key = createPublicKey({
      key: keys.find((one: { kid: string }) => one.kid === header.kid),
      format: 'jwk',
    })
    const [content, signature = ''] = [token.slice(0, token.lastIndexOf('.')), token.split('.')[2]]
    expect(verify('sha256', Buffer.from(content), key, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  test("makes a session of its own, among the member's, which can end without the browser's (interface 2.6)", async () => {
    const member = await platform.signIn('acme', 'independent@acme.example')
    const answer = await platform.exchange(
      await platform.issue({ member }),
      {},
      { headers: { 'user-agent': 'partner-server/1' } },
    )
    const { access_token: token } = answer.json()
    const sessionId = String(decode(token).claims.sid)
    const list = () => platform.members.listSessions(platform.tenants.acme.id, member.memberId, new Date())
    expect(await list()).toEqual([
      expect.objectContaining({
        id: sessionId,
        kind: 'integration',
        clientId: 'partner',
        userAgent: 'partner-server/1',
      }),
      expect.objectContaining({ id: member.sessionId, kind: 'device', clientId: null }),
    ])
    expect(await platform.isActive(token)).toBe(true)
    await platform.members.endSession(platform.tenants.acme.id, {
      memberId: member.memberId,
      sessionId,
      now: new Date(),
    })
    expect(await platform.isActive(token)).toBe(false)
    expect((await list()).map(({ kind }) => kind)).toEqual(['device'])
  })

  test.for(['probe', 'prompt_none'] as const)('rides the device session with a %s code', async origin => {
    const member = await platform.signIn('acme', `${origin}@acme.example`)
    const answer = await platform.exchange(await platform.issue({ member, origin }))
    const { access_token: token, expires_in: expiresIn } = answer.json()
    const { claims } = decode(token)
    expect(claims.sid).toBe(member.sessionId)
    const device = decode(member.token).claims
    expect(claims.exp).toBeLessThanOrEqual(Number(device.exp))
    expect(expiresIn).toBe(Number(claims.exp) - Number(claims.iat))
    expect(await platform.isActive(token)).toBe(true)
    const { memberId, sessionId } = member
    await platform.members.endSession(platform.tenants.acme.id, { memberId, sessionId, now: new Date() })
    expect(await platform.isActive(token)).toBe(false)
  })

  test('takes HTTP Basic, form-decoded (RFC 6749 2.3.1)', async () => {
    const authorization = basic('partner', secretOf('partner').replaceAll('-', '%2D'))
    const without = { client_id: undefined, client_secret: undefined }
    const headers = { authorization }
    expect((await platform.exchange(await platform.issue(), without, { headers })).statusCode).toBe(200)
    const answer = await platform.exchange(await platform.issue(), { client_secret: undefined }, { headers })
    expect(answer.statusCode).toBe(200)
  })

  test('takes a verifier of 43 and of 128 characters', async () => {
    for (const length of [43, 128]) {
      const verifier = '-._~aZ09'.repeat(16).slice(0, length)
      const codeChallenge = hash('sha256', verifier, 'base64url')
      const answer = await platform.exchange(await platform.issue({ codeChallenge }), {
        code_verifier: verifier,
      })
      expect([length, answer.statusCode]).toEqual([length, 200])
    }
  })

  test('answers one of 50 exchanges at once, and the token of that one is good', async () => {
    const code = await platform.issue()
    const answers = await Promise.all(Array.from({ length: 50 }, () => platform.exchange(code)))
    const [won, ...lost] = answers.toSorted((a, b) => a.statusCode - b.statusCode)
    expect(won?.statusCode).toBe(200)
    for (const answer of lost) expect(statusAndBody(answer)).toEqual([400, oauthRefusal('invalid_grant')])
    expect(await platform.isActive(won?.json().access_token)).toBe(true)
    const { rows } = await platform.database.pool.query(
      `select count(*) from member_tokens t join authorization_codes a
       on a.tenant_id = t.tenant_id and a.token_id = t.id where a.code_hash = $1`,
      [hash('sha256', code, 'buffer')],
    )
    expect(rows).toEqual([{ count: 1 }])
  })
})

describe('a malformed request (RFC 6749 5.2)', () => {
  test.for<[string, Record<string, string | undefined>, string]>([
    ['no grant_type', { grant_type: undefined }, 'invalid_request'],
    ['another grant_type', { grant_type: 'password' }, 'unsupported_grant_type'],
    [
      'the grant_type before the parameters',
      { grant_type: 'password', code: undefined },
      'unsupported_grant_type',
    ],
    ['no code', { code: undefined }, 'invalid_request'],
    ['an empty code', { code: '' }, 'invalid_request'],
    ['no redirect_uri', { redirect_uri: undefined }, 'invalid_request'],
  ])('with %s', async ([, other, error]) => {
    expect(statusAndBody(await platform.exchange(await platform.issue(), other))).toEqual([
      400,
      oauthRefusal(error),
    ])
  })

  test.for(['client_id', 'client_secret', 'grant_type', 'code', 'redirect_uri', 'code_verifier'])(
    'with %s twice is invalid_request, also when both are the same',
    async name => {
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        code: await platform.issue(),
        redirect_uri: callback,
        client_id: 'partner',
        client_secret: secretOf('partner'),
      })
      form.append(name, form.get(name) ?? 'x')
      form.append(name, form.get(name) ?? 'x')
      const answer = await platform.post('/oauth/token', form.toString())
      expect(statusAndBody(answer)).toEqual([400, oauthRefusal('invalid_request')])
    },
  )

  test.for(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])(
    'of type %s is invalid_request',
    async type => {
      const answer = await platform.post('/oauth/token', '{}', { headers: { 'content-type': type } })
      expect(statusAndBody(answer)).toEqual([400, oauthRefusal('invalid_request')])
    },
  )

  test('without a body is invalid_client', async () => {
    const answer = await platform.request(hostOf(), { method: 'POST', url: '/oauth/token' })
    expect(statusAndBody(answer)).toEqual([400, oauthRefusal('invalid_client')])
  })

  test('is a form also with a charset', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
    expect((await platform.exchange(await platform.issue(), {}, { headers })).statusCode).toBe(200)
  })

  test('with parameters in the address is as without them: secrets do not belong there', async () => {
    const form = new URLSearchParams({ client_id: 'partner', client_secret: secretOf('partner') })
    const answer = await platform.post(`/oauth/token?${form}`, {})
    expect(statusAndBody(answer)).toEqual([400, oauthRefusal('invalid_client')])
  })
})
