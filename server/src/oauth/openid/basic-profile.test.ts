import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callback, hostOf, issuerOf, makeVerifier, oauthRefusal } from '../../testing/oauth-platform.ts'
import {
  createOpenIdPlatform,
  isContinuePage,
  type OpenIdPlatform,
  openid,
} from '../../testing/openid-platform.ts'
import { arrivedAt, authorizePath, guards } from '../../testing/sign-in-platform.ts'
import { wordsOf } from '../../testing/visitor.ts'

// The basic profile's list of the OpenID Foundation's conformance suite, walked through over HTTP. Each describe has the
// name of a module of its. The files beside this one have those about prompts, and about hints.

let platform: OpenIdPlatform
beforeAll(async () => {
  platform = await createOpenIdPlatform()
})
afterAll(() => platform.close())

/** Headers without those of the connection and of this very request. */
function ownHeaders({ headers }: { headers: object }): Record<string, unknown> {
  const {
    date: _date,
    connection: _connection,
    'x-request-id': id,
    ...own
  } = headers as Record<string, unknown>
  expect(id).toEqual(expect.any(String))
  return own
}

describe('oidcc-server', () => {
  test('code, exchange, id_token, userinfo: all say the same member, with the headers that go with each', async () => {
    const asked = { nonce: 'abc', scope: 'openid email' }
    const answer = await platform.signInByMail(platform.visit(), asked)
    expect(ownHeaders(answer)).toEqual({
      ...guards,
      'content-length': '0',
      'content-security-policy': "default-src 'none'; frame-ancestors 'self'",
      location: expect.stringMatching(/^https:\/\/app\.partner\.example\/callback\?code=[\w-]{64}&state=/),
      'set-cookie': expect.arrayContaining([expect.stringMatching(/^_SERVICET=/)]),
    })
    const exchanged = await platform.exchange(arrivedAt(answer).code ?? '')
    expect(ownHeaders(exchanged)).toEqual({
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'content-type': 'application/json',
      'content-length': String(exchanged.body.length),
    })
    expect(exchanged.json()).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 2_592_000,
      id_token: expect.any(String),
    })
    const claims = await platform.read(exchanged.json())
    expect(claims).toMatchObject({ nonce: 'abc', azp: 'partner' })
    const userInfo = await platform.askUserInfo(exchanged.json())
    expect(userInfo.json()).toMatchObject({ sub: claims.sub, email_verified: true })
    expect(ownHeaders(userInfo)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Retry-After, X-Request-Id',
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'content-length': String(userInfo.body.length),
    })
  })

  test('refusals have the headers that go with each too', async () => {
    const back = await platform.visit().get(authorizePath(openid({ prompt: 'none' })))
    const { 'x-content-type-options': _, ...ofRedirects } = guards
    expect([back.statusCode, ownHeaders(back)]).toEqual([
      302,
      {
        ...ofRedirects,
        'content-length': '0',
        'content-security-policy': "default-src 'none'; frame-ancestors 'self'",
        location: expect.stringContaining('error=login_required'),
      },
    ])
    const refused = await platform.exchange('x'.repeat(64))
    expect([refused.statusCode, refused.json(), ownHeaders(refused)]).toEqual([
      400,
      oauthRefusal('invalid_grant'),
      {
        'cache-control': 'no-store',
        pragma: 'no-cache',
        'content-type': 'application/json',
        'content-length': String(refused.body.length),
      },
    ])
  })
})

describe('oidcc-response-type-missing', () => {
  test.for([
    [{ response_type: '' }, 'invalid_request'],
    [{ response_type: 'id_token' }, 'unsupported_response_type'],
    [{ response_type: 'code id_token' }, 'unsupported_response_type'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
  ] as const)('%j goes back with %s', async ([parameters, error]) => {
    const answer = await platform.visit().get(authorizePath(openid(parameters)))
    const back = new URL(String(answer.headers.location))
    expect([back.origin + back.pathname, Object.fromEntries(back.searchParams)]).toEqual([
      callback,
      { ...oauthRefusal(error), state: 'st&te=1', iss: issuerOf() },
    ])
  })
})

describe('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', () => {
  test('and there is none in the id_token', async () => {
    expect(
      await platform.read(await platform.redeem(await platform.arrive(platform.visit()))),
    ).not.toHaveProperty('nonce')
  })
})

describe('oidcc-scope-profile, -email, -address, -phone, -all, oidcc-ensure-other-scope-order-succeeds', () => {
  test.for([
    ['openid profile', ['sub', 'updated_at']],
    ['openid email', ['email', 'email_verified', 'sub']],
    ['openid address', ['sub']],
    ['openid phone', ['sub']],
    ['openid profile email address phone', ['email', 'email_verified', 'sub', 'updated_at']],
    ['email openid', ['email', 'email_verified', 'sub']],
  ] as const)('%s', async ([scope, names]) => {
    const tokens = await platform.redeem(await platform.arrive(platform.visit(), { scope }))
    const told = (await platform.askUserInfo(tokens)).json()
    expect(Object.keys(told).toSorted()).toEqual(names)
    // Core 5.4 lets the id_token say the same; libraries that ask no userinfo live by it.
    const said = await platform.read(tokens)
    expect(said).toMatchObject(told)
    const ofProtocol = ['iss', 'sub', 'aud', 'azp', 'exp', 'iat', 'auth_time', 'at_hash', 'sid']
    expect(Object.keys(said).filter(name => !ofProtocol.includes(name))).toEqual(
      Object.keys(told).filter(name => name !== 'sub'),
    )
  })
})

describe('oidcc-display-page, oidcc-display-popup, oidcc-claims-locales, oidcc-ensure-request-with-acr-values-succeeds, oidcc-claims-essential, oidcc-ensure-request-with-unknown-parameter-succeeds', () => {
  test.for([
    { display: 'page' },
    { display: 'popup' },
    { claims_locales: 'se' },
    { acr_values: '1 2' },
    { claims: '{"userinfo":{"name":{"essential":true}}}' },
    { extra: 'foobar' },
  ] as Record<string, string>[])('%j changes nothing', async parameters => {
    const tokens = await platform.redeem(await platform.arrive(platform.visit(), parameters))
    expect((await platform.askUserInfo(tokens)).json()).toEqual({ sub: (await platform.read(tokens)).sub })
  })
})

describe('oidcc-codereuse, oidcc-codereuse-30seconds', () => {
  test('is invalid_grant, and after 30 seconds the token is revoked', async () => {
    const arrived = await platform.arrive(platform.visit())
    const tokens = await platform.redeem(arrived)
    const again = () => platform.exchange(arrived.code ?? '')
    expect((await again()).json()).toEqual(oauthRefusal('invalid_grant'))
    expect(await platform.isActive(tokens.access_token)).toBe(true)
    await platform.database.pool.query(
      `update authorization_codes set used_at = used_at - interval '30 seconds' where used_at is not null`,
    )
    expect((await again()).json()).toEqual(oauthRefusal('invalid_grant'))
    const asked = { url: '/oauth/userinfo', headers: { authorization: `Bearer ${tokens.access_token}` } }
    expect((await platform.request(hostOf(), asked)).statusCode).toBe(401)
  })
})

describe('oidcc-ensure-registered-redirect-uri', () => {
  test('another one is an error page, without a redirect', async () => {
    const path = authorizePath(openid({ redirect_uri: 'https://app.partner.example/elsewhere' }))
    const answer = await platform.visit().get(path)
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined])
    expect(wordsOf(answer.body)).toContain('redirect_uri is not registered')
  })
})

describe('oidcc-ensure-post-request-succeeds', () => {
  test('a POST of the same parameters leads to the same page, with the cookies of this site', async () => {
    const visitor = platform.visit()
    await platform.arrive(visitor)
    const form = Object.fromEntries(new URLSearchParams(authorizePath(openid()).split('?')[1]))
    // The browser sends no SameSite=Lax cookie with a form of another site, but does so after the redirect.
    const answer = await platform.visit().post('/oauth/authorize', form, {
      origin: 'https://app.partner.example',
      'sec-fetch-site': 'cross-site',
    })
    expect(answer.statusCode).toBe(303)
    const location = String(answer.headers.location)
    expect(location).toMatch(/^\/oauth\/authorize\?/)
    expect(isContinuePage((await visitor.get(location)).body)).toBe(true)
  })
})

describe('oidcc-server-client-secret-post, oidcc-ensure-request-with-valid-pkce-succeeds', () => {
  test('with PKCE, and the secret in the form', async () => {
    const { verifier, challenge } = makeVerifier()
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
    const arrived = await platform.arrive(platform.visit(), pkce)
    expect((await platform.exchange(arrived.code ?? '')).json()).toEqual(oauthRefusal('invalid_grant'))
    expect(await platform.read(await platform.redeem(arrived, { code_verifier: verifier }))).toHaveProperty(
      'sub',
    )
  })
})

describe('oidcc-unsigned-request-object-, oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported, oidcc-ensure-request-object-with-redirect-uri', () => {
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`
  test.for([
    [{ request: unsigned }, 'request_not_supported'],
    [{ request_uri: 'https://app.partner.example/request.jwt' }, 'request_uri_not_supported'],
    [{ registration: '{}' }, 'registration_not_supported'],
  ] as const)('%j goes back with %s', async ([parameters, error]) => {
    expect(await platform.askSilently(platform.visit(), parameters)).toEqual({
      ...oauthRefusal(error),
      state: 'st&te=1',
      iss: issuerOf(),
    })
  })
})

describe('a request without openid in its scope', () => {
  test('is OAuth: no id_token, and nothing of userinfo', async () => {
    const arrived = await platform.arrive(platform.visit(), { scope: 'profile email' })
    const answer = (await platform.exchange(arrived.code ?? '')).json()
    expect(Object.keys(answer).toSorted()).toEqual(['access_token', 'expires_in', 'token_type'])
    expect((await platform.askUserInfo(answer)).json()).toEqual(oauthRefusal('insufficient_scope'))
  })
})
