import type { ServerResponse } from 'node:http'
import type { JWTPayload } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { arrivedAt, newAddress, sessionCookie } from '../../testing/sign-in-platform.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../testing/social/openid-provider.ts'
import { signInAt } from '../../testing/social/sign-in-at.ts'
import {
  callbackOf,
  createSocialPlatform,
  pathOf,
  type SocialPlatform,
} from '../../testing/social/social-platform.ts'
import { actionsOf, type Visitor, wordsOf } from '../../testing/visitor.ts'

let platform: SocialPlatform
/** Two providers, each with its own client of the tenant's, whose accounts have the same names. */
let provider: OpenIdProvider
let other: OpenIdProvider
const email = newAddress()
const accounts = { ann: { email, email_verified: true } }
beforeAll(async () => {
  provider = await startOpenIdProvider({ redirectUris: [callbackOf('staff')], accounts })
  other = await startOpenIdProvider({
    redirectUris: [callbackOf('other')],
    accounts,
    // So that nothing but the id_token tells who it is.
    claimsIn: 'id_token',
  })
  platform = await createSocialPlatform()
  for (const [id, one] of [
    ['staff', provider],
    ['other', other],
  ] as const)
    await platform.setProvider(id, {
      provider: 'oidc',
      name: id === 'staff' ? 'Staff' : 'Other',
      issuer: one.issuer,
      client_id: 'usher',
      client_secret: one.clientSecret,
    })
})
afterEach(() => {
  provider.behave()
  other.behave()
})
afterAll(async () => {
  await platform?.close()
  await provider?.close()
  await other?.close()
})

/** A browser that has signed in at the provider, and is about to bring the answer. */
async function aboutToReturn(id = 'staff'): Promise<{ visitor: Visitor; flow: string; back: URL }> {
  const visitor = platform.visit()
  const flow = await platform.begin(visitor)
  const back = await signInAt(await platform.press(visitor, flow, id), { login: 'ann', action: 'login' })
  return { visitor, flow, back }
}
const bring = (visitor: Visitor, back: URL) => visitor.get(pathOf(back), { 'sec-fetch-site': 'cross-site' })
function changed(back: URL, change: Record<string, string | null>): URL {
  const url = new URL(back)
  for (const [name, value] of Object.entries(change))
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  return url
}
const exchanges = (of: OpenIdProvider) => of.requests.filter(one => one === 'POST /token').length

/** The page says what went wrong, nobody is signed in, and the flow goes on, by another way or once more. */
async function expectTold(
  { visitor, flow }: { visitor: Visitor; flow: string },
  answer: { statusCode: number; body: string },
  [status, words]: [number, string],
): Promise<void> {
  expect([answer.statusCode, wordsOf(answer.body)]).toEqual([status, expect.stringContaining(words)])
  expect(visitor.cookies.has(sessionCookie)).toBe(false)
  expect(actionsOf(answer.body)).toEqual([flow, `${flow}/social`])
  provider.behave()
  other.behave()
  const address = await platform.press(visitor, flow, 'staff')
  const arrived = arrivedAt(await platform.comeBack(visitor, address, { login: 'ann', action: 'login' }))
  expect(arrived.state).toBe('st&te=1')
}
const DENIED: [number, string] = [403, 'Staff did not sign you in.']
const AWAY: [number, string] = [503, 'Staff cannot be reached at the moment.']
const FAULTY: [number, string] = [400, 'Staff gave an answer that we cannot trust.']

describe('a provider that refuses', () => {
  test('because the person said no', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const address = await platform.press(visitor, flow, 'staff')
    const answer = await platform.comeBack(visitor, address, { action: 'cancel' })
    await expectTold({ visitor, flow }, answer, DENIED)
  })

  test.for([
    ['access_denied', DENIED],
    ['user_cancelled_authorize', DENIED],
    ['temporarily_unavailable', AWAY],
    ['server_error', AWAY],
    ['invalid_scope', FAULTY],
    ['<script>alert(1)</script>', FAULTY],
  ] as const)('with %s', async ([error, told]) => {
    const { visitor, flow, back } = await aboutToReturn()
    const answer = await bring(visitor, changed(back, { code: null, error }))
    await expectTold({ visitor, flow }, answer, [...told])
    expect(answer.body).not.toContain('alert(1)')
  })
})

describe('a provider that is away, slow or broken', () => {
  const breaking: [string, (response: ServerResponse) => void, [number, string]][] = [
    ['breaks the connection', response => void response.destroy(), AWAY],
    ['answers 500', response => void response.writeHead(500).end('oops'), AWAY],
    [
      'answers a page',
      response => void response.setHeader('content-type', 'text/html').end('<h1>Hi'),
      FAULTY,
    ],
    [
      'answers half an object',
      response => void response.setHeader('content-type', 'application/json').end('{"a'),
      FAULTY,
    ],
    [
      'answers null',
      response => void response.setHeader('content-type', 'application/json').end('null'),
      FAULTY,
    ],
    [
      'answers without end',
      response =>
        void response.setHeader('content-type', 'application/json').end(`{"a":"${'x'.repeat(300_000)}"}`),
      FAULTY,
    ],
    ['leads elsewhere', response => void response.writeHead(302, { location: other.issuer }).end(), FAULTY],
  ]
  test.for(breaking)('at its token endpoint: %s', async ([, respond, told]) => {
    const returning = await aboutToReturn()
    provider.misbehave('/token', (_request, response) => respond(response))
    const before = other.requests.length
    const answer = await bring(returning.visitor, returning.back)
    expect(other.requests).toHaveLength(before)
    await expectTold(returning, answer, told)
  })

  test.for(breaking)('at its userinfo endpoint: %s', async ([, respond, told]) => {
    const returning = await aboutToReturn()
    provider.misbehave('/me', (_request, response) => respond(response))
    await expectTold(returning, await bring(returning.visitor, returning.back), told)
  })

  test('when the secret has been changed there', async () => {
    const returning = await aboutToReturn()
    provider.misbehave(
      '/token',
      (_request, response) =>
        void response
          .writeHead(401, { 'content-type': 'application/json' })
          .end('{"error":"invalid_client"}'),
    )
    await expectTold(returning, await bring(returning.visitor, returning.back), FAULTY)
  })
})

describe('an id_token that is not right (OpenID Connect Core 3.1.3.7)', () => {
  const past = Math.floor(Date.now() / 1_000) - 600
  const claims: [string, (claims: JWTPayload) => JWTPayload][] = [
    ['has another issuer', token => ({ ...token, iss: 'https://accounts.google.com' })],
    ['has no issuer', ({ iss: _, ...token }) => token],
    ['is for another client', token => ({ ...token, aud: 'somebody' })],
    ['is for several, and authorized to another', token => ({ ...token, aud: ['usher', 'x'], azp: 'x' })],
    ['has another nonce', token => ({ ...token, nonce: 'n' })],
    ['has no nonce', ({ nonce: _, ...token }) => token],
    ['has expired', token => ({ ...token, iat: past - 60, exp: past })],
    ['never expires', ({ exp: _, ...token }) => token],
    ['has no subject', ({ sub: _, ...token }) => token],
  ]
  test.for(claims)('since it %s signs nobody in', async ([, change]) => {
    const returning = await aboutToReturn()
    provider.tamper({ claims: change })
    await expectTold(returning, await bring(returning.visitor, returning.back), FAULTY)
  })

  test.for([
    ['that no database holds', 'a\0b'],
    ['without end', 'x'.repeat(300)],
    ['of half a character', '\ud800'],
  ] as const)('since it has a subject %s signs nobody in', async ([, sub]) => {
    const returning = await aboutToReturn('other')
    other.tamper({ claims: token => ({ ...token, sub }) })
    const answer = await bring(returning.visitor, returning.back)
    await expectTold(returning, answer, [400, 'Other gave an answer that we cannot trust.'])
  })

  test('since another key has signed it signs nobody in', async () => {
    const returning = await aboutToReturn()
    provider.tamper({ otherKey: true })
    await expectTold(returning, await bring(returning.visitor, returning.back), FAULTY)
  })
})

describe('an answer that does not belong here (RFC 9700 4.4, 4.5, 4.7)', () => {
  test.for([
    ['another state', { state: 'x'.repeat(43) }],
    ['no state', { state: null }],
  ] as const)('with %s is for no flow of this browser', async ([, change]) => {
    const { visitor, back } = await aboutToReturn()
    const before = exchanges(provider)
    const answer = await bring(visitor, changed(back, change))
    expect([answer.statusCode, exchanges(provider)]).toEqual([404, before])
    expect((await bring(visitor, back)).statusCode).toBe(303)
  })

  test('in another browser signs nobody in, there or here', async () => {
    const { visitor, back } = await aboutToReturn()
    const before = exchanges(provider)
    for (const victim of [platform.visit(), (await aboutToReturn('other')).visitor]) {
      const answer = await bring(victim, back)
      expect([answer.statusCode, victim.cookies.has(sessionCookie)]).toEqual([404, false])
    }
    expect(exchanges(provider)).toBe(before)
    // And it is not used up by it.
    expect((await bring(visitor, back)).statusCode).toBe(303)
  })

  test('twice counts once, and says where to begin anew', async () => {
    const { visitor, back } = await aboutToReturn()
    const answers = await Promise.all([bring(visitor, back), bring(visitor, back), bring(visitor, back)])
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([303, 410, 410])
    expect((await bring(visitor, back)).body).toContain('href="/oauth/authorize?')
  })

  test('too late is over', async () => {
    const { visitor, back } = await aboutToReturn()
    await platform.database.pool.query(`update social_attempts set expires_at = now()`)
    expect((await bring(visitor, back)).statusCode).toBe(410)
  })

  test("of one provider at another's address is refused, and no code is sent there", async () => {
    const { visitor, back } = await aboutToReturn()
    const mixed = new URL(back)
    mixed.pathname = new URL(callbackOf('other')).pathname
    const before = [exchanges(provider), exchanges(other)]
    expect((await bring(visitor, mixed)).statusCode).toBe(410)
    expect([exchanges(provider), exchanges(other)]).toEqual(before)
  })

  test('that says to come from another issuer is refused, and its code is not sent', async () => {
    const returning = await aboutToReturn()
    const before = exchanges(provider)
    const answer = await bring(returning.visitor, changed(returning.back, { iss: other.issuer }))
    expect(exchanges(provider)).toBe(before)
    await expectTold(returning, answer, FAULTY)
  })

  test('that does not say where it comes from, though its provider does so, is refused', async () => {
    const returning = await aboutToReturn()
    const answer = await bring(returning.visitor, changed(returning.back, { iss: null }))
    await expectTold(returning, answer, FAULTY)
  })

  test('with the code of a stranger is refused: the provider has another challenge for it', async () => {
    const [mine, strangers] = [await aboutToReturn(), await aboutToReturn()]
    const code = strangers.back.searchParams.get('code') ?? ''
    await expectTold(mine, await bring(mine.visitor, changed(mine.back, { code })), FAULTY)
  })

  test.for([
    ['two codes', (query: string) => `${query}&code=x`],
    ['no code', (query: string) => query.replace(/code=[^&]*&?/, '')],
  ] as const)('with %s is refused', async ([, change]) => {
    const { visitor, flow, back } = await aboutToReturn()
    const answer = await visitor.get(back.pathname + change(back.search))
    await expectTold({ visitor, flow }, answer, FAULTY)
  })

  test('at a provider that the tenant does not have is nobody’s', async () => {
    const answer = await platform.visit().get('/sign-in/social/nobody/callback?state=x&code=y')
    expect(answer.statusCode).toBe(404)
  })

  test('at another tenant is nobody’s', async () => {
    const { back } = await aboutToReturn()
    expect((await platform.visit({ slug: 'globe' }).get(pathOf(back))).statusCode).toBe(404)
  })
})

describe('what is asked of the provider', () => {
  test('has a state, a nonce and an S256 challenge, all new each time', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const [one, two] = [
      new URL(await platform.press(visitor, flow, 'staff')),
      new URL(await platform.press(visitor, flow, 'staff')),
    ]
    const { state, nonce, code_challenge: challenge, ...rest } = Object.fromEntries(one.searchParams)
    expect(one.origin).toBe(provider.issuer)
    expect(rest).toEqual({
      client_id: 'usher',
      response_type: 'code',
      redirect_uri: callbackOf('staff'),
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    })
    for (const [name, value] of Object.entries({ state, nonce, code_challenge: challenge })) {
      expect([name, value]).toEqual([name, expect.stringMatching(/^[\w-]{43}$/)])
      expect([name, two.searchParams.get(name)]).not.toEqual([name, value])
    }
  })

  test('is kept sealed, and of the state a hash', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { searchParams } = new URL(await platform.press(visitor, flow, 'staff'))
    const { rows } = await platform.database.pool.query('select a::text from social_attempts a')
    const stored = JSON.stringify(rows)
    for (const name of ['state', 'nonce']) expect(stored).not.toContain(searchParams.get(name))
  })

  test('is not asked by a form of another site', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    expect((await visitor.post(`${flow}/social`, { provider: 'staff' }, foreign)).statusCode).toBe(403)
  })

  test('is not asked where the tenant does not offer it', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const answer = await visitor.post(`${flow}/social`, { provider: 'nobody' })
    expect([answer.statusCode, actionsOf(answer.body)]).toEqual([200, [flow, `${flow}/social`]])
  })
})
