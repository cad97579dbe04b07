import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  callback,
  createOAuthPlatform,
  hostOf,
  issuerOf,
  makeVerifier,
  type OAuthPlatform,
  otherCallback,
  type SignedIn,
  secretOf,
} from '../testing/oauth-platform.ts'
import { platformHost } from '../testing/whole-platform.ts'

let platform: OAuthPlatform
let member: SignedIn
beforeAll(async () => {
  platform = await createOAuthPlatform()
})
afterAll(() => platform.close())
beforeEach(async () => {
  member = await platform.signIn()
})

type Sent = Record<string, string | undefined>
const good = {
  client_id: 'partner',
  redirect_uri: callback,
  response_type: 'code',
  prompt: 'none',
  state: 'a b&c',
}
const queryOf = (sent: Sent) =>
  new URLSearchParams(
    Object.entries({ ...good, ...sent }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
const strict = { client_id: 'strict', redirect_uri: 'https://strict.example/callback' }

/** Where the browser is sent, with what. Fails when the answer has a header, or a byte, more or less than it may. */
async function ask(sent: Sent = {}, headers: Record<string, string> = { cookie: member.cookie }) {
  const answer = await platform.request(hostOf(), { url: `/oauth/authorize?${queryOf(sent)}`, headers })
  const { date, connection, 'x-request-id': id, location, ...own } = answer.headers
  expect([answer.statusCode, answer.body, own]).toEqual([
    302,
    '',
    {
      'cache-control': 'no-store',
      'content-length': '0',
      'content-security-policy': "default-src 'none'; frame-ancestors 'self'",
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'SAMEORIGIN',
    },
  ])
  expect([typeof date, connection, id]).toEqual([
    'string',
    'keep-alive',
    expect.stringMatching(/^[\w-]{12,}$/),
  ])
  const { origin, pathname, searchParams } = new URL(String(location))
  return { to: origin + pathname, parameters: Object.fromEntries(searchParams) }
}
const failed = (error: string, to = callback) => ({
  to,
  parameters: { error, error_description: expect.stringMatching(/\.$/), state: good.state, iss: issuerOf() },
})
const signedIn = (more: object = { state: good.state }) => ({
  to: callback,
  parameters: { code: expect.stringMatching(/^[\w-]{64}$/), iss: issuerOf(), ...more },
})
const codeOf = async (sent?: Sent) => (await ask(sent)).parameters.code ?? ''
const exchanged = async (...sent: Parameters<typeof platform.exchange>) => {
  const answer = await platform.exchange(...sent)
  return answer.statusCode === 200 ? 200 : answer.json().error
}

describe('prompt=none, each sentence of interface 4.9, to the last header', () => {
  test('signed in: code and state', async () => {
    expect(await ask()).toEqual(signedIn())
    expect(await ask({ state: undefined })).toEqual(signedIn({}))
    expect(await ask({ state: '' })).toEqual(signedIn({ state: '' }))
  })

  test('not signed in: login_required and state', async () => {
    expect(await ask({}, {})).toEqual(failed('login_required'))
    expect(await ask({ state: undefined }, {})).toEqual({
      to: callback,
      parameters: { error: 'login_required', error_description: expect.any(String), iss: issuerOf() },
    })
  })

  test.for(['none login', 'login none', 'none select_account', 'none consent', 'none none'])(
    'prompt="%s": invalid_request, signed in or not',
    async prompt => {
      expect(await ask({ prompt })).toEqual(failed('invalid_request'))
      expect(await ask({ prompt }, {})).toEqual(failed('invalid_request'))
    },
  )

  test('a client that requires PKCE, without a challenge: invalid_request, signed in or not', async () => {
    expect(await ask(strict)).toEqual(failed('invalid_request', strict.redirect_uri))
    expect(await ask(strict, {})).toEqual(failed('invalid_request', strict.redirect_uri))
  })

  test('the code is redeemed with the redirect_uri that was sent, once', async () => {
    const code = await codeOf({ redirect_uri: otherCallback })
    expect(await exchanged(code)).toBe('invalid_grant')
    expect(await exchanged(code, { redirect_uri: otherCallback })).toBe(200)
    expect(await exchanged(code, { redirect_uri: otherCallback })).toBe('invalid_grant')
  })

  test('verifier rules are those of 4.7', async () => {
    const { verifier, challenge } = makeVerifier()
    const withChallenge = { ...strict, code_challenge: challenge, code_challenge_method: 'S256' }
    const client = { ...strict, client_secret: secretOf('strict') }
    const code = await codeOf(withChallenge)
    expect(await exchanged(code, client)).toBe('invalid_grant')
    expect(await exchanged(code, { ...client, code_verifier: makeVerifier().verifier })).toBe('invalid_grant')
    expect(await exchanged(code, { ...client, code_verifier: verifier })).toBe(200)
    expect(await exchanged(await codeOf(), { code_verifier: verifier })).toBe('invalid_grant')
  })

  test('the code is good for 10 minutes (interface 8)', async () => {
    const age = (seconds: number) =>
      platform.database.pool.query(
        `update authorization_codes set issued_at = issued_at - $1::interval, expires_at = expires_at - $1::interval
          where session_id = $2`,
        [`${seconds} seconds`, member.sessionId],
      )
    const [early, late] = [await codeOf(), await codeOf()]
    await age(590)
    expect(await exchanged(early)).toBe(200)
    await age(10)
    expect(await exchanged(late)).toBe('invalid_grant')
  })

  test.for([
    'iframe',
    'frame',
    'embed',
    'object',
    'image',
    'script',
    'style',
    'empty',
    'worker',
    '',
    'document, iframe',
  ])('in a frame or a subresource (%s): login_required, signed in or not', async destination => {
    const headers = { 'sec-fetch-dest': destination }
    const before = await countCodes()
    expect(await ask({}, { ...headers, cookie: member.cookie })).toEqual(failed('login_required'))
    expect(await ask({}, headers)).toEqual(failed('login_required'))
    expect(await countCodes()).toBe(before)
  })

  test('as a top-level navigation, also of a browser that does not say so: the code', async () => {
    const { cookie } = member
    expect(await ask({}, { cookie, 'sec-fetch-dest': 'document', 'sec-fetch-site': 'cross-site' })).toEqual(
      signedIn(),
    )
    expect(await ask({}, { cookie })).toEqual(signedIn())
  })

  test('it writes the code and nothing else', async () => {
    await ask()
    const { rows } = await platform.database.pool.query(
      `select s.last_seen_at = s.created_at as unseen, (select count(*)::int from sign_in_flows) as flows
        from member_sessions s where id = $1`,
      [member.sessionId],
    )
    expect(rows).toEqual([{ unseen: true, flows: 0 }])
  })
})

const countCodes = async () =>
  (await platform.database.pool.query('select count(*)::int as count from authorization_codes')).rows[0].count

describe('the token of prompt=none rides the session of the browser (interface 2.6)', () => {
  test('ends with it, never outlives it, and appears not as a session of its own', async () => {
    const { pool } = platform.database
    await pool.query("update member_sessions set expires_at = now() + interval '90 seconds' where id = $1", [
      member.sessionId,
    ])
    const { access_token: token, expires_in: expiresIn } = (await platform.exchange(await codeOf())).json()
    expect(expiresIn).toBeGreaterThan(60)
    expect(expiresIn).toBeLessThanOrEqual(90)
    const { rows } = await pool.query('select session_id from member_tokens where session_id = $1', [
      member.sessionId,
    ])
    expect(rows).toHaveLength(2)
    const unused = await codeOf()
    expect(await platform.isActive(token)).toBe(true)
    await platform.request(hostOf(), {
      method: 'POST',
      url: '/api/sdk/sign-out',
      headers: { authorization: `Bearer ${member.token}` },
    })
    expect(await platform.isActive(token)).toBe(false)
    expect(await exchanged(unused)).toBe('invalid_grant')
    await expect.poll(() => ask()).toEqual(failed('login_required'))
  })
})

describe('no answer of authorize is shown in a frame of another origin (threats, "OAuth")', () => {
  test.for<[string, Sent, string]>([
    ['the sign-in page', { prompt: undefined }, hostOf()],
    ['continue-as', { prompt: undefined }, hostOf()],
    ['an error page', { client_id: 'nobody' }, hostOf()],
    ['an error page of prompt=none', { redirect_uri: 'https://evil.example/' }, hostOf()],
  ])('%s', async ([what, sent, host]) => {
    const headers = what === 'continue-as' ? { cookie: member.cookie } : {}
    const answer = await platform.request(host, { url: `/oauth/authorize?${queryOf(sent)}`, headers })
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['x-frame-options']).toBe('SAMEORIGIN')
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'self'")
  })

  test('there is no page at an alias, nor on the platform host', async () => {
    const url = `/oauth/authorize?${queryOf({})}`
    const alias = await platform.request('accounts.acme.example', { url, headers: { cookie: member.cookie } })
    expect([alias.statusCode, alias.body, alias.headers.location]).toEqual([302, '', issuerOf() + url])
    expect((await platform.request(platformHost, { url })).statusCode).toBe(404)
  })
})
