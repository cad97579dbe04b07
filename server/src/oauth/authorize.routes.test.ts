import { beforeAll, describe, expect, test } from 'vitest'
import {
  callback,
  hostOf,
  issuerOf,
  makeVerifier,
  otherCallback,
  type SignedIn,
} from '../testing/oauth-platform.ts'
import {
  goodRequest,
  guards,
  locationOf,
  type Sent,
  useTestAuthorize,
} from '../testing/use-test-authorize.ts'
import { platformHost } from '../testing/whole-platform.ts'

const authorize = useTestAuthorize()
const { ask } = authorize
const { challenge } = makeVerifier()

describe('GET /oauth/authorize (interface 4.6)', () => {
  test('goes on with what was asked for, unchanged', async () => {
    const answer = await ask({
      code_challenge: challenge,
      code_challenge_method: 'S256',
      scope: 'a b',
      nonce: 'n',
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({
      clientId: 'partner',
      clientName: 'partner of acme',
      redirectUri: callback,
      state: 's t&a=te',
      codeChallenge: challenge,
      scope: 'a b',
      nonce: 'n',
      maxAgeS: null,
      uiLocales: null,
      memberHint: null,
      prompt: null,
      loginHint: null,
    })
    expect(answer.headers).toMatchObject({ ...guards, 'set-cookie': ['flow=1', 'other=2'] })
  })

  test.for<[string, Sent, object]>([
    ['a state that is empty as such', { state: '' }, { state: '' }],
    ['no state as none', { state: undefined }, { state: null }],
    ['empty parameters as none', { scope: '', nonce: '', prompt: '', code_challenge: '' }, { scope: null }],
    ['a client without PKCE', {}, { codeChallenge: null }],
    ['prompt=login', { prompt: 'login' }, { prompt: 'login' }],
    ['prompt=select_account', { prompt: 'select_account' }, { prompt: 'select_account' }],
    ['both prompts', { prompt: 'select_account login' }, { prompt: 'login' }],
    ['a login_hint', { login_hint: 'm@acme.example' }, { loginHint: 'm@acme.example' }],
    ['a second registered URI', { redirect_uri: otherCallback }, { redirectUri: otherCallback }],
    ['parameters that mean nothing', { audience: 'x' }, { clientId: 'partner' }],
    ['response_mode=query', { response_mode: 'query' }, { clientId: 'partner' }],
  ])('takes %s', async ([, sent, expected]) => {
    const answer = await ask(sent)
    expect([answer.statusCode, answer.json()]).toEqual([200, expect.objectContaining(expected)])
  })
})

describe('prompt=none (interface 4.9)', () => {
  let member: SignedIn
  beforeAll(async () => {
    member = await authorize.platform.signIn()
  })
  const silently = (headers: Record<string, string> = {}, sent: Sent = {}) =>
    ask({ prompt: 'none', ...sent }, headers)
  const nobody = {
    to: callback,
    parameters: {
      error: 'login_required',
      error_description:
        'Nobody is signed in on this browser, or this request may not tell: it came in a frame, or the Cookie Domain is not set.',
      state: 's t&a=te',
      iss: issuerOf(),
    },
  }

  test('sends a code, state and iss where a member is signed in, and the code is an ordinary one', async () => {
    const answer = await silently({ cookie: member.cookie })
    const { to, parameters } = locationOf(answer)
    expect({ to, parameters }).toEqual({
      to: callback,
      parameters: { code: expect.stringMatching(/^[\w-]{64}$/), state: 's t&a=te', iss: issuerOf() },
    })
    expect(answer.headers).toMatchObject(guards)
    expect((await authorize.platform.exchange(parameters.code ?? '')).statusCode).toBe(200)
  })

  test('sends a code that asks for its verifier where a challenge was sent', async () => {
    const { verifier, challenge: sent } = makeVerifier()
    const { parameters } = locationOf(
      await silently({ cookie: member.cookie }, { code_challenge: sent, code_challenge_method: 'S256' }),
    )
    const code = parameters.code ?? ''
    expect((await authorize.platform.exchange(code)).json().error).toBe('invalid_grant')
    expect((await authorize.platform.exchange(code, { code_verifier: verifier })).statusCode).toBe(200)
  })

  test.for<[string, () => Record<string, string>]>([
    ['there is no cookie', () => ({})],
    ['the cookie is no token', () => ({ cookie: '_SERVICET=x' })],
    ['it is asked for in a frame', () => ({ cookie: member.cookie, 'sec-fetch-dest': 'iframe' })],
    ['it is asked for by a script', () => ({ cookie: member.cookie, 'sec-fetch-dest': 'empty' })],
  ])('sends login_required when %s', async ([, headers]) => {
    expect(locationOf(await silently(headers()))).toEqual(nobody)
  })

  test('takes a top-level navigation', async () => {
    const answer = await silently({ cookie: member.cookie, 'sec-fetch-dest': 'document' })
    expect(locationOf(answer).parameters.code).toBeDefined()
  })

  test('sends login_required to whoever puts an access token into the cookie (threats, OAuth)', async () => {
    const { access_token: token } = (
      await authorize.platform.exchange(await authorize.platform.issue())
    ).json()
    expect(locationOf(await silently({ cookie: `_SERVICET=${token}` }))).toEqual(nobody)
  })

  test("sends login_required with another tenant's cookie, and always without a Cookie Domain", async () => {
    const stranger = await authorize.platform.signIn('globe')
    expect(locationOf(await silently({ cookie: stranger.cookie }))).toEqual(nobody)
    const atGlobe = { ...goodRequest, redirect_uri: 'https://app.globe.example/callback', prompt: 'none' }
    const { parameters } = locationOf(await ask(atGlobe, { cookie: stranger.cookie }, hostOf('globe')))
    expect(parameters).toMatchObject({
      error: 'login_required',
      error_description: nobody.parameters.error_description,
      iss: issuerOf('globe'),
    })
  })

  test('sends login_required once the member has signed out', async () => {
    const other = await authorize.platform.signIn()
    const { memberId, sessionId } = other
    await authorize.platform.members.endSession(authorize.platform.tenants.acme.id, {
      memberId,
      sessionId,
      now: new Date(),
    })
    expect(locationOf(await silently({ cookie: other.cookie }))).toEqual(nobody)
  })
})

describe('where it is served (decisions, "Addresses")', () => {
  test('redirects from an alias to the canonical domain, path and query kept', async () => {
    const answer = await ask({}, {}, 'accounts.acme.example')
    expect(answer.statusCode).toBe(302)
    expect(answer.headers.location).toBe(`${issuerOf()}/oauth/authorize?${new URLSearchParams(goodRequest)}`)
  })
  test('is 404 on the platform host, and HEAD is not served', async () => {
    expect((await ask({}, {}, platformHost)).statusCode).toBe(404)
    const head = await authorize.edge.send(hostOf(), `/oauth/authorize?${new URLSearchParams(goodRequest)}`, {
      method: 'HEAD',
    })
    expect(head.statusCode).toBe(404)
  })
})
