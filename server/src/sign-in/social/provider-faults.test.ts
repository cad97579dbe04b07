import type { ServerResponse } from 'node:http'
import type { JWTPayload } from 'jose'
import { describe, expect, test } from 'vitest'
import { newAddress } from '../../testing/sign-in-platform.ts'
import { changed, told, useTwoProviders } from '../../testing/social/use-two-providers.ts'

const shared = useTwoProviders()

describe('a provider that refuses', () => {
  test('because the person said no', async () => {
    const visitor = shared.platform.visit()
    const flow = await shared.platform.begin(visitor)
    const address = await shared.platform.press(visitor, flow, 'staff')
    const answer = await shared.platform.comeBack(visitor, address, { action: 'cancel' })
    await shared.expectTold({ visitor, flow }, answer, told.denied)
  })

  test.for([
    ['access_denied', told.denied],
    ['user_cancelled_authorize', told.denied],
    ['temporarily_unavailable', told.away],
    ['server_error', told.away],
    ['invalid_scope', told.faulty],
    ['unauthorized_client', told.refused],
    ['<script>alert(1)</script>', told.faulty],
  ] as const)('with %s', async ([error, expected]) => {
    const { visitor, flow, back } = await shared.aboutToReturn()
    const answer = await shared.bring(visitor, changed(back, { code: null, error }))
    await shared.expectTold({ visitor, flow }, answer, expected)
    expect(answer.body).not.toContain('alert(1)')
  })
})

describe('a provider that is away, slow or broken', () => {
  const breaking: [string, (response: ServerResponse) => void, readonly [number, string]][] = [
    ['breaks the connection', response => void response.destroy(), told.away],
    ['answers 500', response => void response.writeHead(500).end('oops'), told.away],
    [
      'answers a page',
      response => void response.setHeader('content-type', 'text/html').end('<h1>Hi'),
      told.faulty,
    ],
    [
      'answers half an object',
      response => void response.setHeader('content-type', 'application/json').end('{"a'),
      told.faulty,
    ],
    [
      'answers null',
      response => void response.setHeader('content-type', 'application/json').end('null'),
      told.faulty,
    ],
    [
      'answers without end',
      response =>
        void response.setHeader('content-type', 'application/json').end(`{"a":"${'x'.repeat(300_000)}"}`),
      told.faulty,
    ],
    [
      'leads elsewhere',
      response => void response.writeHead(302, { location: shared.other.issuer }).end(),
      told.faulty,
    ],
  ]
  test.for(breaking)('at its token endpoint: %s', async ([, respond, expected]) => {
    const returning = await shared.aboutToReturn()
    shared.provider.misbehave('/token', (_request, response) => respond(response))
    const before = shared.other.requests.length
    const answer = await shared.bring(returning.visitor, returning.back)
    expect(shared.other.requests).toHaveLength(before)
    await shared.expectTold(returning, answer, expected)
  })

  test.for(breaking)('at its userinfo endpoint: %s', async ([, respond, expected]) => {
    const returning = await shared.aboutToReturn()
    shared.provider.misbehave('/me', (_request, response) => respond(response))
    await shared.expectTold(returning, await shared.bring(returning.visitor, returning.back), expected)
  })

  test('or tells of somebody else than the id_token does (OpenID Connect Core 5.3.2)', async () => {
    const returning = await shared.aboutToReturn()
    const victim = JSON.stringify({ sub: 'bob', email: newAddress(), email_verified: true })
    shared.provider.misbehave(
      '/me',
      (_request, response) => void response.setHeader('content-type', 'application/json').end(victim),
    )
    const answer = await shared.bring(returning.visitor, returning.back)
    await shared.expectTold(returning, answer, told.faulty)
  })

  test.for<[string, number, Record<string, string>, string]>([
    ['invalid_client', 401, {}, '{"error":"invalid_client"}'],
    ['invalid_client and 400', 400, {}, '{"error":"invalid_client"}'],
    ['unauthorized_client', 400, {}, '{"error":"unauthorized_client"}'],
    [
      'a challenge (RFC 6749 5.2)',
      401,
      { 'www-authenticate': 'Basic realm="x"' },
      '{"error":"invalid_client"}',
    ],
  ])('when the secret has been changed there: %s', async ([, status, headers, body]) => {
    const returning = await shared.aboutToReturn()
    shared.provider.misbehave(
      '/token',
      (_request, response) =>
        void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body),
    )
    await shared.expectTold(returning, await shared.bring(returning.visitor, returning.back), told.refused)
  })

  test('or takes its own token for none', async () => {
    const returning = await shared.aboutToReturn()
    shared.provider.misbehave(
      '/me',
      (_request, response) =>
        void response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end(),
    )
    await shared.expectTold(returning, await shared.bring(returning.visitor, returning.back), told.faulty)
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
    const returning = await shared.aboutToReturn()
    shared.provider.tamper({ claims: change })
    await shared.expectTold(returning, await shared.bring(returning.visitor, returning.back), told.faulty)
  })

  test.for([
    ['that no database holds', 'a\0b'],
    ['without end', 'x'.repeat(300)],
    ['of half a character', '\ud800'],
  ] as const)('since it has a subject %s signs nobody in', async ([, sub]) => {
    const returning = await shared.aboutToReturn('other')
    shared.other.tamper({ claims: token => ({ ...token, sub }) })
    const answer = await shared.bring(returning.visitor, returning.back)
    await shared.expectTold(returning, answer, [400, 'Other gave an answer that we cannot trust.'])
  })

  test('since there is none signs nobody in', async () => {
    const returning = await shared.aboutToReturn()
    shared.provider.misbehave(
      '/token',
      (_request, response) =>
        void response
          .setHeader('content-type', 'application/json')
          .end('{"access_token":"x","token_type":"Bearer"}'),
    )
    const answer = await shared.bring(returning.visitor, returning.back)
    await shared.expectTold(returning, answer, told.faulty)
  })

  test('since another key has signed it signs nobody in', async () => {
    const returning = await shared.aboutToReturn()
    shared.provider.tamper({ otherKey: true })
    await shared.expectTold(returning, await shared.bring(returning.visitor, returning.back), told.faulty)
  })
})
