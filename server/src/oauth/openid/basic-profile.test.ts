import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callback, hostOf, issuerOf, makeVerifier, oauthRefusal } from '../../testing/oauth-platform.ts'
import {
  arrivedAt,
  authorizePath,
  createSignInPlatform,
  newAddress,
  type SignInPlatform,
} from '../../testing/sign-in-platform.ts'
import { actionsOf, hiddenOf, type Visitor, wordsOf } from '../../testing/visitor.ts'

// The basic profile's list of the OpenID Foundation's conformance suite, walked through over HTTP. Each describe has the
// name of a module of its.

let platform: SignInPlatform
beforeAll(async () => {
  platform = await createSignInPlatform()
})
afterAll(() => platform.close())

type Parameters = Record<string, string>
const openid = (parameters: Parameters = {}): Parameters => ({ scope: 'openid', ...parameters })

/** Signs in by the code in the mail, and answers what arrives at the client. */
async function signIn(
  visitor: Visitor,
  parameters: Parameters = {},
  email = newAddress(),
): Promise<Record<string, string>> {
  const flow = await platform.begin(visitor, openid(parameters))
  const { code } = await platform.askForMail(visitor, flow, email)
  return arrivedAt(await visitor.post(`${flow}/code`, { code }))
}

/** What arrives at the client when it asks silently. */
async function askSilently(visitor: Visitor, parameters: Parameters = {}): Promise<Record<string, string>> {
  const answer = await visitor.get(authorizePath(openid({ prompt: 'none', ...parameters })))
  expect(answer.statusCode).toBe(302)
  return Object.fromEntries(new URL(String(answer.headers.location)).searchParams)
}

interface Tokens {
  access_token: string
  id_token: string
}
async function exchange({ code = '' }: Record<string, string>, form = {}): Promise<Tokens> {
  const answer = await platform.exchange(code, form)
  expect([answer.statusCode, answer.body]).toEqual([200, expect.stringContaining('"id_token"')])
  return answer.json()
}

async function read(tokens: Tokens): Promise<JWTPayload> {
  const keys = (await platform.request(hostOf(), { url: '/.well-known/jwks.json' })).json()
  const options = { issuer: issuerOf(), audience: 'partner' }
  return (await jwtVerify(tokens.id_token, createLocalJWKSet(keys), options)).payload
}

const userInfo = async ({ access_token: token }: Tokens) =>
  (
    await platform.request(hostOf(), {
      url: '/oauth/userinfo',
      headers: { authorization: `Bearer ${token}` },
    })
  ).json()

/** Lets the member's sign-ins lie further back. */
const passTime = (sub: unknown, seconds: number) =>
  platform.database.pool.query(
    `update member_sessions set created_at = created_at - make_interval(secs => $2) where member_id = $1`,
    [sub, seconds],
  )

const isSignInPage = (html: string) => html.includes('name="email"')
const isContinuePage = (html: string) => html.includes('name="action" value="continue"')

describe('oidcc-server', () => {
  test('code, exchange, id_token, userinfo: all say the same member', async () => {
    const tokens = await exchange(await signIn(platform.visit(), { nonce: 'abc', scope: 'openid email' }))
    const claims = await read(tokens)
    expect(claims).toMatchObject({ nonce: 'abc', azp: 'partner' })
    expect(await userInfo(tokens)).toMatchObject({ sub: claims.sub })
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
    expect(await read(await exchange(await signIn(platform.visit())))).not.toHaveProperty('nonce')
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
    const tokens = await exchange(await signIn(platform.visit(), { scope }))
    expect(Object.keys(await userInfo(tokens)).toSorted()).toEqual(names)
    expect(Object.keys(await read(tokens))).not.toContain('email')
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
  ] as Parameters[])('%j changes nothing', async parameters => {
    const tokens = await exchange(await signIn(platform.visit(), parameters))
    expect(await userInfo(tokens)).toEqual({ sub: (await read(tokens)).sub })
  })
})

describe('oidcc-prompt-login', () => {
  test('asks who is signed in, and auth_time is that of the new sign-in', async () => {
    const visitor = platform.visit()
    const email = newAddress()
    const first = await read(await exchange(await signIn(visitor, {}, email)))
    await passTime(first.sub, 100)
    const second = await read(await exchange(await signIn(visitor, { prompt: 'login' }, email)))
    expect(second.sub).toBe(first.sub)
    expect(second.sid).not.toBe(first.sid)
    expect(second.auth_time).toBeGreaterThanOrEqual(Number(first.auth_time))
  })
})

describe('oidcc-prompt-none-not-logged-in', () => {
  test('is login_required', async () => {
    expect(await askSilently(platform.visit())).toEqual({
      ...oauthRefusal('login_required'),
      state: 'st&te=1',
      iss: issuerOf(),
    })
  })
})

describe('oidcc-prompt-none-logged-in', () => {
  test('is the same member with the same auth_time, without a page', async () => {
    const visitor = platform.visit()
    const first = await read(await exchange(await signIn(visitor)))
    const second = await read(await exchange(await askSilently(visitor, { nonce: 'n' })))
    expect(second).toMatchObject({ sub: first.sub, auth_time: first.auth_time, sid: first.sid, nonce: 'n' })
  })
})

describe('oidcc-max-age-1', () => {
  test('asks a member who signed in longer ago to sign in again', async () => {
    const visitor = platform.visit()
    const email = newAddress()
    const first = await read(await exchange(await signIn(visitor, {}, email)))
    await passTime(first.sub, 100)
    expect(await askSilently(visitor, { max_age: '1' })).toMatchObject({ error: 'login_required' })
    const page = await visitor.get(authorizePath(openid({ max_age: '1' })))
    expect([isSignInPage(page.body), isContinuePage(page.body)]).toEqual([true, false])
    const second = await read(await exchange(await signIn(visitor, { max_age: '1' }, email)))
    expect(second.sub).toBe(first.sub)
    expect(Number(second.auth_time)).toBeGreaterThan(Number(first.auth_time) - 100)
  })

  test('does not continue as somebody whose sign-in became too old on the page', async () => {
    const visitor = platform.visit()
    await signIn(visitor)
    const page = await visitor.get(authorizePath(openid({ max_age: '100' })))
    expect(isContinuePage(page.body)).toBe(true)
    const [action = ''] = actionsOf(page.body)
    // As if the page had stood there for so long.
    await platform.database.pool.query('update sign_in_flows set max_age_s = 0 where max_age_s = 100')
    const form = { action: 'continue', member: hiddenOf(page.body, 'member') }
    const answer = await visitor.post(action, form)
    expect([answer.statusCode, answer.headers.location]).toEqual([303, action.replace('/continue', '')])
  })

  test.for(['x', '-1', '1.5', '1 2'])('max_age %j is invalid_request', async maxAge => {
    expect(await askSilently(platform.visit(), { max_age: maxAge })).toMatchObject({
      error: 'invalid_request',
    })
  })

  test('max_age 0 is as prompt=login, and one of any length is none at all', async () => {
    const visitor = platform.visit()
    await signIn(visitor)
    expect(isSignInPage((await visitor.get(authorizePath(openid({ max_age: '0' })))).body)).toBe(true)
    const long = await visitor.get(authorizePath(openid({ max_age: '9'.repeat(400) })))
    expect(isContinuePage(long.body)).toBe(true)
  })
})

describe('oidcc-max-age-10000', () => {
  test('does not ask one who signed in later, and auth_time stays', async () => {
    const visitor = platform.visit()
    const first = await read(await exchange(await signIn(visitor)))
    const second = await read(await exchange(await askSilently(visitor, { max_age: '10000' })))
    expect(second.auth_time).toBe(first.auth_time)
    const page = await visitor.get(authorizePath(openid({ max_age: '10000' })))
    expect(isContinuePage(page.body)).toBe(true)
  })
})

describe('oidcc-id-token-hint', () => {
  test('of the member who is signed in: a code', async () => {
    const visitor = platform.visit()
    const tokens = await exchange(await signIn(visitor))
    expect(await askSilently(visitor, { id_token_hint: tokens.id_token })).toHaveProperty('code')
  })

  test('of another member: login_required silently, nobody is offered to continue, and nobody else comes back', async () => {
    const other = await exchange(await signIn(platform.visit()))
    const visitor = platform.visit()
    await signIn(visitor)
    const hint = { id_token_hint: other.id_token }
    expect(await askSilently(visitor, hint)).toEqual({
      ...oauthRefusal('login_required'),
      state: 'st&te=1',
      iss: issuerOf(),
    })
    expect(isSignInPage((await visitor.get(authorizePath(openid(hint)))).body)).toBe(true)
    expect(await signIn(visitor, hint)).toEqual({
      to: callback,
      ...oauthRefusal('login_required'),
      state: 'st&te=1',
      iss: issuerOf(),
    })
  })

  test('that has expired still says whom the client means', async () => {
    const visitor = platform.visit()
    const { id_token: hint } = await exchange(await signIn(visitor))
    const claims = JSON.parse(Buffer.from(hint.split('.')[1] ?? '', 'base64url').toString())
    const expired = await platform.members.signIdToken(platform.tenants.acme, {
      ...claims,
      iat: 1_600_000_000,
      exp: 1_600_003_600,
    })
    expect(await askSilently(visitor, { id_token_hint: expired })).toHaveProperty('code')
  })

  test('that is not one of this client is invalid_request', async () => {
    const visitor = platform.visit()
    const tokens = await exchange(await signIn(visitor))
    const claims = await read(tokens)
    const [header, payload, signature = ''] = tokens.id_token.split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
    const bad = {
      rubbish: 'rubbish',
      'an access token': tokens.access_token,
      'a changed one': `${header}.${payload}.${signature.replace(/^./, first => (first === 'A' ? 'B' : 'A'))}`,
      'an unsigned one': `${none}.${payload}.`,
      "another client's": await platform.members.signIdToken(platform.tenants.acme, {
        ...claims,
        aud: 'neighbour',
      }),
      "another tenant's": await platform.members.signIdToken(platform.tenants.globe, {
        ...claims,
        iss: issuerOf(),
      }),
      'one of another issuer': await platform.members.signIdToken(platform.tenants.acme, {
        ...claims,
        iss: issuerOf('globe'),
      }),
    }
    for (const [what, hint] of Object.entries(bad))
      expect([what, (await askSilently(visitor, { id_token_hint: hint })).error]).toEqual([
        what,
        'invalid_request',
      ])
  })
})

describe('oidcc-login-hint', () => {
  test('stands in the field for the address', async () => {
    const page = await platform.visit().get(authorizePath(openid({ login_hint: 'buffy@example.com' })))
    expect(page.body).toContain('value="buffy@example.com"')
  })
})

describe('oidcc-ui-locales', () => {
  test('is the language of the pages and of the mail, before the browser’s', async () => {
    const visitor = platform.visit({ headers: { 'accept-language': 'es' } })
    const page = await visitor.get(authorizePath(openid({ ui_locales: 'se fr-CA de' })))
    expect(page.body).toContain('<html lang="fr">')
    const [flow = ''] = actionsOf(page.body)
    expect((await visitor.get(flow)).body).toContain('<html lang="fr">')
    const { mail } = await platform.askForMail(visitor, flow, newAddress())
    expect(mail.text).toContain('Bonjour')
    const unknown = await visitor.get(authorizePath(openid({ ui_locales: 'se' })))
    expect(unknown.body).toContain('<html lang="es">')
  })
})

describe('oidcc-codereuse, oidcc-codereuse-30seconds', () => {
  test('is invalid_grant, and after 30 seconds the token is revoked', async () => {
    const arrived = await signIn(platform.visit())
    const tokens = await exchange(arrived)
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
    await signIn(visitor)
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
    const arrived = await signIn(platform.visit(), pkce)
    expect((await platform.exchange(arrived.code ?? '')).json()).toEqual(oauthRefusal('invalid_grant'))
    expect(await read(await exchange(arrived, { code_verifier: verifier }))).toHaveProperty('sub')
  })
})

describe('oidcc-unsigned-request-object-, oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported, oidcc-ensure-request-object-with-redirect-uri', () => {
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`
  test.for([
    [{ request: unsigned }, 'request_not_supported'],
    [{ request_uri: 'https://app.partner.example/request.jwt' }, 'request_uri_not_supported'],
    [{ registration: '{}' }, 'registration_not_supported'],
  ] as const)('%j goes back with %s', async ([parameters, error]) => {
    expect(await askSilently(platform.visit(), parameters)).toEqual({
      ...oauthRefusal(error),
      state: 'st&te=1',
      iss: issuerOf(),
    })
  })
})

describe('a request without openid in its scope', () => {
  test('is OAuth: no id_token, and nothing of userinfo', async () => {
    const arrived = await signIn(platform.visit(), { scope: 'profile email' })
    const answer = (await platform.exchange(arrived.code ?? '')).json()
    expect(Object.keys(answer).toSorted()).toEqual(['access_token', 'expires_in', 'token_type'])
    expect(await userInfo(answer)).toEqual(oauthRefusal('insufficient_scope'))
  })
})

describe('a flow that is over', () => {
  test('is begun anew with what was asked for', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor, openid({ max_age: '60', ui_locales: 'de', nonce: 'n' }))
    await platform.passTime(3_601)
    const page = await visitor.get(flow)
    const [, href = ''] = /href="(\/oauth\/authorize[^"]+)"/.exec(page.body) ?? []
    const path = href.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    const again = new URLSearchParams(path.split('?')[1])
    expect(Object.fromEntries(again)).toMatchObject({
      scope: 'openid',
      nonce: 'n',
      max_age: '60',
      ui_locales: 'de',
    })
  })
})
