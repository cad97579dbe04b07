import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hostOf, makeVerifier, type SignedIn, secretOf } from '../testing/oauth-platform.ts'
import { codeOf, createProbePlatform, nobody, type ProbePlatform } from '../testing/probe-platform.ts'

let platform: ProbePlatform
let member: SignedIn
beforeAll(async () => {
  platform = await createProbePlatform()
})
afterAll(() => platform.close())
beforeEach(async () => {
  member = await platform.signIn()
})

const strict = {
  client_id: 'strict',
  client_secret: secretOf('strict'),
  redirect_uri: 'https://strict.example/callback',
}
const probe = async (clientId = 'partner', { cookie } = member) =>
  codeOf(await platform.ask({ cookie, query: `?client_id=${clientId}` }))
const refusalOf = async (...sent: Parameters<typeof platform.exchange>) => {
  const answer = await platform.exchange(...sent)
  return [answer.statusCode, answer.json().error]
}
const invalidGrant = [400, 'invalid_grant']
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const asMember = (token: string, url = '/api/sdk/member', method: 'GET' | 'POST' = 'GET') =>
  platform.request(hostOf(), { url, method, headers: { authorization: `Bearer ${token}` } })

describe('the code of a probe (interface 2.7, 4.10 and 8)', () => {
  test('is good for 30 seconds, and stamped with what 4.10 says', async () => {
    await probe()
    const { rows } = await platform.database.pool.query(
      `select client_id, redirect_uri, code_challenge, session_id, member_id, scope, nonce, used_at,
        extract(epoch from expires_at - issued_at)::int as seconds, length(code_hash) as bytes
        from authorization_codes where session_id = $1`,
      [member.sessionId],
    )
    expect(rows).toEqual([
      {
        client_id: 'partner',
        redirect_uri: 'https://app.partner.example/callback',
        code_challenge: null,
        session_id: member.sessionId,
        member_id: member.memberId,
        scope: null,
        nonce: null,
        used_at: null,
        seconds: 30,
        bytes: 32,
      },
    ])
  })

  test('is another one each time', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, () => probe()))
    expect(new Set(codes).size).toBe(20)
  })

  test('is exchanged for a token response of three fields, once', async () => {
    const code = await probe()
    const answer = await platform.exchange(code)
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { access_token: expect.any(String), token_type: 'Bearer', expires_in: expect.any(Number) },
    ])
    expect(await refusalOf(code)).toEqual(invalidGrant)
  })

  test.for([
    ['a redirect_uri that is not the first', { redirect_uri: 'https://app.partner.example/other?a=1' }],
    ['a redirect_uri that is not registered', { redirect_uri: 'https://news.acme.example' }],
    ['a code_verifier, which was not asked for', { code_verifier: makeVerifier().verifier }],
    ['another client', { client_id: 'neighbour', client_secret: secretOf('neighbour') }],
  ] as const)('is not exchanged with %s, and is as good as before', async ([, sent]) => {
    const code = await probe()
    expect(await refusalOf(code, sent)).toEqual(invalidGrant)
    expect((await platform.exchange(code)).statusCode).toBe(200)
  })

  test('needs no redirect_uri less', async () => {
    expect(await refusalOf(await probe(), { redirect_uri: undefined })).toEqual([400, 'invalid_request'])
  })

  test('needs no verifier of a client that requires PKCE', async () => {
    const code = await probe('strict')
    expect(await refusalOf(code, { ...strict, code_verifier: makeVerifier().verifier })).toEqual(invalidGrant)
    expect((await platform.exchange(code, strict)).statusCode).toBe(200)
  })

  test('is not exchanged at another tenant', async () => {
    const code = await probe()
    const sent = { client_secret: secretOf('partner', 'globe') }
    expect(await refusalOf(code, sent, { host: hostOf('globe') })).toEqual(invalidGrant)
  })

  test('is not exchanged after 30 seconds', async () => {
    const code = await probe()
    await platform.database.pool.query(
      "update authorization_codes set issued_at = issued_at - interval '30 seconds', expires_at = expires_at - interval '30 seconds' where session_id = $1",
      [member.sessionId],
    )
    expect(await refusalOf(code)).toEqual(invalidGrant)
  })

  test('has the redirect URI that is first in the database at that moment', async () => {
    const uris = ['https://strict.example/new', 'https://strict.example/callback']
    const setUris = (list: string[]) =>
      platform.database.pool.query("update oauth_clients set redirect_uris = $1 where client_id = 'strict'", [
        list,
      ])
    const before = await probe('strict')
    await setUris(uris)
    const after = await probe('strict')
    expect((await platform.exchange(before, strict)).statusCode).toBe(200)
    expect(await refusalOf(after, strict)).toEqual(invalidGrant)
    expect((await platform.exchange(after, { ...strict, redirect_uri: uris[0] })).statusCode).toBe(200)
    await setUris([strict.redirect_uri])
  })

  test('is not given for a session that has ended, whatever a process still believes', async () => {
    await probe()
    // Nobody is told.
    await platform.database.pool.query('alter table member_sessions disable trigger user')
    await platform.database.pool.query('update member_sessions set ended_at = now() where id = $1', [
      member.sessionId,
    ])
    await platform.database.pool.query('alter table member_sessions enable trigger user')
    const before = await platform.countCodes()
    expect(await platform.ask({ cookie: member.cookie })).toEqual(nobody)
    expect(await platform.countCodes()).toBe(before)
  })
})

describe('the token of a probe rides the session of the browser (interface 2.6)', () => {
  const tokenOf = async (code: string) => (await platform.exchange(code)).json().access_token as string
  const sessionsOf = async (token: string) =>
    (await asMember(token, '/api/sdk/member/sessions')).json().data.map(({ id }: { id: string }) => id)

  test('and appears not among the sessions, where that of an interactive code does', async () => {
    const own = await platform.signIn('acme', `rider-${Date.now()}@acme.example`)
    const token = await tokenOf(await probe('partner', own))
    expect(claimsOf(token)).toMatchObject({ sid: own.sessionId, sub: own.memberId, azp: 'partner' })
    expect(await sessionsOf(own.token)).toEqual([own.sessionId])
    await tokenOf(await platform.issue({ member: own }))
    expect(await sessionsOf(own.token)).toHaveLength(2)
  })

  const ends: [string, (token: string) => Promise<unknown>][] = [
    ['signing out', () => asMember(member.token, '/api/sdk/sign-out', 'POST')],
    ['signing out with the token itself', token => asMember(token, '/api/sdk/sign-out', 'POST')],
    [
      'revoking the session elsewhere',
      () => {
        const { memberId, sessionId } = member
        return platform.members.endSession(platform.tenants.acme.id, { memberId, sessionId, now: new Date() })
      },
    ],
  ]
  test.for(ends)('%s ends it at once, at every endpoint, and the code that was not used', async ([, end]) => {
    const [token, unused] = [await tokenOf(await probe()), await probe()]
    expect([await platform.isActive(token), (await asMember(token)).statusCode]).toEqual([true, 200])
    await end(token)
    expect([await platform.isActive(token), (await asMember(token)).statusCode]).toEqual([false, 401])
    expect(await refusalOf(unused)).toEqual(invalidGrant)
    await expect.poll(() => platform.ask({ cookie: member.cookie })).toEqual(nobody)
  })

  test('revoking the token ends the token alone', async () => {
    const token = await tokenOf(await probe())
    const credentials = { client_id: 'partner', client_secret: secretOf('partner') }
    await platform.post('/oauth/revoke', { token, ...credentials })
    expect(await platform.isActive(token)).toBe(false)
    await probe()
  })

  test('it never outlives the session', async () => {
    const { pool } = platform.database
    await pool.query("update member_sessions set expires_at = now() + interval '90 seconds' where id = $1", [
      member.sessionId,
    ])
    const { access_token: token, expires_in: expiresIn } = (await platform.exchange(await probe())).json()
    expect(expiresIn).toBeGreaterThan(60)
    expect(expiresIn).toBeLessThanOrEqual(90)
    const { exp, iat } = claimsOf(token)
    expect(exp - iat).toBe(expiresIn)
  })

  test('two exchanges of one code at once: one wins', async () => {
    const code = await probe()
    const answers = await Promise.all(Array.from({ length: 50 }, () => platform.exchange(code)))
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  })
})
