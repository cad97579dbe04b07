import { createPublicKey, hash, verify } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  callback,
  createOAuthPlatform,
  hostOf,
  type IssueOptions,
  issuerOf,
  makeVerifier,
  type OAuthPlatform,
  otherCallback,
  secretOf,
} from '../testing/oauth-platform.ts'

let platform: OAuthPlatform
beforeAll(async () => {
  platform = await createOAuthPlatform()
})
afterAll(() => platform.close())

const refusal = (error: string) => ({ error, error_description: expect.stringMatching(/\.$/) })
const statusAndBody = (answer: { statusCode: number; json(): unknown }) => [answer.statusCode, answer.json()]

/** The parts of a token, without a look at its signature. */
function decode(token: string): { header: Record<string, unknown>; claims: Record<string, unknown> } {
  const [header, claims] = token.split('.').map(part => Buffer.from(part, 'base64url').toString())
  return { header: JSON.parse(header ?? ''), claims: JSON.parse(claims ?? '') }
}
const isActive = async (token: string): Promise<boolean> => {
  const credentials = { client_id: 'partner', client_secret: secretOf('partner') }
  const answer = await platform.post('/oauth/introspect', { token, ...credentials })
  return answer.json().active
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
    expect(await isActive(token)).toBe(true)
    await platform.members.endSession(platform.tenants.acme.id, {
      memberId: member.memberId,
      sessionId,
      now: new Date(),
    })
    expect(await isActive(token)).toBe(false)
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
    expect(await isActive(token)).toBe(true)
    const { memberId, sessionId } = member
    await platform.members.endSession(platform.tenants.acme.id, { memberId, sessionId, now: new Date() })
    expect(await isActive(token)).toBe(false)
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
    for (const answer of lost) expect(statusAndBody(answer)).toEqual([400, refusal('invalid_grant')])
    expect(await isActive(won?.json().access_token)).toBe(true)
    const { rows } = await platform.database.pool.query(
      `select count(*) from member_tokens t join authorization_codes a
       on a.tenant_id = t.tenant_id and a.token_id = t.id where a.code_hash = $1`,
      [hash('sha256', code, 'buffer')],
    )
    expect(rows).toEqual([{ count: 1 }])
  })
})

describe('a client that is not who it says (interface 7)', () => {
  test.for<[string, Record<string, string | undefined>]>([
    ['an unknown client', { client_id: 'nobody' }],
    ['a client_id that cannot be one', { client_id: 'a b\0' }],
    ['no client_id', { client_id: undefined }],
    ['an empty client_id', { client_id: '' }],
    ['a disabled client', { client_id: 'off', client_secret: secretOf('off') }],
    ['a wrong secret', { client_secret: 'wrong' }],
    ['no secret', { client_secret: undefined }],
    ['an empty secret', { client_secret: '' }],
    ["another client's secret", { client_secret: secretOf('neighbour') }],
    [
      "the secret of another tenant's client of the same name",
      { client_secret: secretOf('partner', 'globe') },
    ],
    ["another tenant's client", { client_id: 'only-globe', client_secret: secretOf('only-globe', 'globe') }],
    [
      'the client first, before all that is wrong besides',
      { client_secret: 'wrong', grant_type: 'x', code: '' },
    ],
  ])('is refused with invalid_client and 400: %s', async ([, other]) => {
    const code = await platform.issue()
    expect(statusAndBody(await platform.exchange(code, other))).toEqual([400, refusal('invalid_client')])
    // And the code is still good.
    expect((await platform.exchange(code)).statusCode).toBe(200)
  })

  test.for([
    ['a wrong secret', basic('partner', 'wrong')],
    ['an unknown client', basic('nobody', secretOf('partner'))],
    ['a disabled client', basic('off', secretOf('off'))],
    ['no colon', `Basic ${Buffer.from('partner').toString('base64')}`],
    ['an escape that cannot be decoded', basic('partner', '%zz')],
    ['nothing', 'Basic'],
    ['no base64', 'Basic ???'],
  ] as const)(
    'is refused with 401 and a challenge where it used HTTP Basic: %s',
    async ([, authorization]) => {
      const without = { client_id: undefined, client_secret: undefined }
      const answer = await platform.exchange(await platform.issue(), without, { headers: { authorization } })
      expect(statusAndBody(answer)).toEqual([401, refusal('invalid_client')])
      expect(answer.headers['www-authenticate']).toBe('Basic realm="OAuth client", charset="UTF-8"')
      expect(answer.headers['cache-control']).toBe('no-store')
    },
  )

  test.for<[string, Record<string, string | undefined>]>([
    ['the secret in the form too', {}],
    ['another client_id in the form', { client_id: 'neighbour', client_secret: undefined }],
  ])('is refused with invalid_request when it comes by HTTP Basic, and with %s', async ([, other]) => {
    const headers = { authorization: basic('partner', secretOf('partner')) }
    const answer = await platform.exchange(await platform.issue(), other, { headers })
    expect(statusAndBody(answer)).toEqual([400, refusal('invalid_request')])
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
      refusal(error),
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
      expect(statusAndBody(answer)).toEqual([400, refusal('invalid_request')])
    },
  )

  test.for(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])(
    'of type %s is invalid_request',
    async type => {
      const answer = await platform.post('/oauth/token', '{}', { headers: { 'content-type': type } })
      expect(statusAndBody(answer)).toEqual([400, refusal('invalid_request')])
    },
  )

  test('without a body is invalid_client', async () => {
    const answer = await platform.request(hostOf(), { method: 'POST', url: '/oauth/token' })
    expect(statusAndBody(answer)).toEqual([400, refusal('invalid_client')])
  })

  test('is a form also with a charset', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
    expect((await platform.exchange(await platform.issue(), {}, { headers })).statusCode).toBe(200)
  })

  test('with parameters in the address is as without them: secrets do not belong there', async () => {
    const form = new URLSearchParams({ client_id: 'partner', client_secret: secretOf('partner') })
    const answer = await platform.post(`/oauth/token?${form}`, {})
    expect(statusAndBody(answer)).toEqual([400, refusal('invalid_client')])
  })
})

describe('a code that is not good is invalid_grant (interface 7)', () => {
  const { verifier, challenge } = makeVerifier()
  type Other = Record<string, string | undefined>
  const neighbour = { client_id: 'neighbour', client_secret: secretOf('neighbour') }

  test.for<[string, IssueOptions, Other]>([
    ['issued to another client', {}, neighbour],
    ['with another redirect_uri of the client', {}, { redirect_uri: otherCallback }],
    ['with the redirect_uri in other case', {}, { redirect_uri: callback.replace('app', 'App') }],
    ['with a slash after the redirect_uri', {}, { redirect_uri: `${callback}/` }],
    ['with a query after the redirect_uri', {}, { redirect_uri: `${callback}?` }],
    ['with NUL after the redirect_uri', {}, { redirect_uri: `${callback}\0` }],
    ['with a lone percent sign', {}, { redirect_uri: '%' }],
    ['expired by one second', { agedS: 61 }, {}],
    ['from the probe, expired by one second', { agedS: 31, origin: 'probe' }, {}],
    ['from prompt=none, expired by one second', { agedS: 601, origin: 'prompt_none' }, {}],
    ['without its verifier', { codeChallenge: challenge }, {}],
    ['with an empty verifier', { codeChallenge: challenge }, { code_verifier: '' }],
    ['with another verifier', { codeChallenge: challenge }, { code_verifier: makeVerifier().verifier }],
    ['with the challenge for a verifier', { codeChallenge: challenge }, { code_verifier: challenge }],
    ['with a verifier where no challenge was sent', {}, { code_verifier: verifier }],
    ...[
      ['42 characters', 'a'.repeat(42)],
      ['129 characters', 'a'.repeat(129)],
      ['forbidden characters', `${'a'.repeat(42)}+`],
      ['NUL', `${'a'.repeat(43)}\0`],
      ['a line break', `${'a'.repeat(43)}\n`],
    ].map(([what, text = '']): [string, IssueOptions, Other] => [
      `with its verifier of ${what}`,
      // Its hash does fit.
      { codeChallenge: hash('sha256', text, 'base64url') },
      { code_verifier: text },
    ]),
  ])('%s', async ([, issued, other]) => {
    const code = await platform.issue(issued)
    expect(statusAndBody(await platform.exchange(code, other))).toEqual([400, refusal('invalid_grant')])
  })

  test.for([
    ['interactive', 59],
    ['probe', 29],
    ['prompt_none', 599],
  ] as const)('and a %s code of %i seconds is', async ([origin, agedS]) => {
    const code = await platform.issue({ origin, agedS: agedS - 1 })
    expect((await platform.exchange(code)).statusCode).toBe(200)
  })

  test('a refused exchange does not use the code up', async () => {
    const code = await platform.issue({ codeChallenge: challenge })
    for (const other of [{ code_verifier: 'a'.repeat(43) }, { redirect_uri: otherCallback }, neighbour])
      expect((await platform.exchange(code, other)).statusCode).toBe(400)
    expect((await platform.exchange(code, { code_verifier: verifier })).statusCode).toBe(200)
  })

  test.for(['a guess', '', ' ', 'é', `\0${'a'.repeat(63)}`, 'a'.repeat(60_000)])(
    'guessed as %j',
    async guess => {
      const answer = await platform.exchange(guess || ' ')
      expect(statusAndBody(answer)).toEqual([400, refusal('invalid_grant')])
    },
  )

  test('of another tenant, also of a client of the same name with the same redirect_uri', async () => {
    const code = await platform.issue({ slug: 'globe' })
    expect(statusAndBody(await platform.exchange(code))).toEqual([400, refusal('invalid_grant')])
    const own = await platform.exchange(
      code,
      { client_secret: secretOf('partner', 'globe') },
      { host: hostOf('globe') },
    )
    expect(own.statusCode).toBe(200)
  })

  test('of a member who signed out meanwhile', async () => {
    for (const origin of ['interactive', 'probe', 'prompt_none'] as const) {
      const member = await platform.signIn()
      const code = await platform.issue({ member, origin })
      const { memberId, sessionId } = member
      await platform.members.endSession(platform.tenants.acme.id, { memberId, sessionId, now: new Date() })
      expect(statusAndBody(await platform.exchange(code))).toEqual([400, refusal('invalid_grant')])
    }
  })

  test('sent twice in a row: the token of the first time stays good', async () => {
    const code = await platform.issue()
    const { access_token: token } = (await platform.exchange(code)).json()
    expect(statusAndBody(await platform.exchange(code))).toEqual([400, refusal('invalid_grant')])
    expect(await isActive(token)).toBe(true)
  })

  test('replayed later: what it was exchanged for is revoked (RFC 6749 4.1.2), but not by another client', async () => {
    const code = await platform.issue()
    const { access_token: token } = (await platform.exchange(code)).json()
    await platform.database.pool.query(
      `update authorization_codes set used_at = used_at - interval '11 seconds' where code_hash = $1`,
      [hash('sha256', code, 'buffer')],
    )
    expect((await platform.exchange(code, neighbour)).json()).toEqual(refusal('invalid_grant'))
    expect(await isActive(token)).toBe(true)
    expect((await platform.exchange(code)).json()).toEqual(refusal('invalid_grant'))
    expect(await isActive(token)).toBe(false)
  })
})

describe('a client that changes', () => {
  const disable = (enabled: boolean) =>
    platform.database.pool.query(`update oauth_clients set enabled = $1 where client_id = 'neighbour'`, [
      enabled,
    ])
  const neighbour = {
    client_id: 'neighbour',
    client_secret: secretOf('neighbour'),
    redirect_uri: 'https://neighbour.example/callback',
  }
  const issue = () => platform.issue({ clientId: 'neighbour', redirectUri: neighbour.redirect_uri })

  test('is refused from the moment that it is disabled, whatever was in a cache, and its tokens too', async () => {
    const [code, other] = [await issue(), await issue()]
    const { access_token: token } = (await platform.exchange(other, neighbour)).json()
    expect(await isActive(token)).toBe(true)
    await disable(false)
    expect(statusAndBody(await platform.exchange(code, neighbour))).toEqual([400, refusal('invalid_client')])
    await expect.poll(() => isActive(token)).toBe(false)
    await disable(true)
    expect((await platform.exchange(code, neighbour)).statusCode).toBe(200)
    await expect.poll(() => isActive(token)).toBe(true)
  })

  test('is refused at once also where no process was told of it', async () => {
    const { pool } = platform.database
    const [code, other] = [await issue(), await issue()]
    await pool.query('alter table oauth_clients disable trigger notify_tenancy')
    try {
      // Now it is in the cache, and stays there.
      expect((await platform.exchange(other, neighbour)).statusCode).toBe(200)
      await disable(false)
      const refused = await platform.exchange(code, neighbour)
      expect(statusAndBody(refused)).toEqual([400, refusal('invalid_client')])
      await disable(true)
      expect((await platform.exchange(code, neighbour)).statusCode).toBe(200)
    } finally {
      await pool.query('alter table oauth_clients enable trigger notify_tenancy')
    }
  })

  test('is refused with its former secret at once, and taken with the new one', async () => {
    const [code, other] = [await issue(), await issue()]
    expect((await platform.exchange(other, neighbour)).statusCode).toBe(200)
    await platform.database.pool.query(
      `update oauth_clients set secret_hash = $1 where client_id = 'neighbour'`,
      [hash('sha256', 'the-new-secret', 'buffer')],
    )
    expect(statusAndBody(await platform.exchange(code, neighbour))).toEqual([400, refusal('invalid_client')])
    const answer = await platform.exchange(code, { ...neighbour, client_secret: 'the-new-secret' })
    expect(answer.statusCode).toBe(200)
  })
})
