import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { declarePartner } from '../../testing/logout-partner.ts'
import { callback, hostOf, issuerOf, type SignedIn, secretOf } from '../../testing/oauth-platform.ts'
import {
  createSignInPlatform,
  guards,
  newAddress,
  type SignInPlatform,
} from '../../testing/sign-in-platform.ts'
import { actionsOf, hiddenOf, type Visitor, wordsOf } from '../../testing/visitor.ts'

const bye = 'https://app.partner.example/bye'

let platform: SignInPlatform
beforeAll(async () => {
  platform = await createSignInPlatform()
  await declarePartner(platform, { post_logout_redirect_uris: [bye, `${bye}?a=1`] })
})
afterAll(() => platform.close())

interface InBrowser {
  visitor: Visitor
  member: SignedIn
  email: string
  idToken: string
  accessToken: string
}

/** A browser with a member, of whom the partner has tokens. */
async function openBrowser(clientId = 'partner'): Promise<InBrowser> {
  const email = newAddress()
  const member = await platform.signIn('acme', email)
  const redirectUri = clientId === 'partner' ? callback : 'https://neighbour.example/callback'
  const code = await platform.issue({ member, scope: 'openid', clientId, redirectUri })
  const client = { client_id: clientId, client_secret: secretOf(clientId), redirect_uri: redirectUri }
  const { id_token: idToken, access_token: accessToken } = (await platform.exchange(code, client)).json()
  const visitor = platform.visit()
  visitor.cookies.set('_SERVICET Domain=acme.example', member.cookie)
  return { visitor, member, email, idToken, accessToken }
}
const isSignedIn = async ({ member }: InBrowser) =>
  (
    await platform.request(hostOf(), {
      url: '/api/sdk/member',
      headers: { authorization: `Bearer ${member.token}` },
    })
  ).statusCode === 200
const logoutPath = (parameters: Record<string, string> | [string, string][]) =>
  `/oauth/logout?${new URLSearchParams(parameters)}`

describe('GET /oauth/logout (OpenID Connect RP-Initiated Logout 1.0)', () => {
  let one: InBrowser
  beforeEach(async () => {
    one = await openBrowser()
  })

  test('with an id_token of the session signs out at once, and goes back with state', async () => {
    const { visitor, idToken, accessToken } = one
    const path = logoutPath({
      id_token_hint: idToken,
      client_id: 'partner',
      post_logout_redirect_uri: bye,
      state: 'a b',
    })
    const answer = await visitor.get(path)
    expect([answer.statusCode, answer.headers.location]).toEqual([303, `${bye}?state=a%20b`])
    expect(answer.headers).toMatchObject({
      'cache-control': guards['cache-control'],
      'referrer-policy': guards['referrer-policy'],
      'x-frame-options': guards['x-frame-options'],
    })
    expect(visitor.cookies.has('_SERVICET Domain=acme.example')).toBe(false)
    expect([await isSignedIn(one), await platform.isActive(accessToken)]).toEqual([false, false])
  })

  test.for([
    [{ post_logout_redirect_uri: bye }, bye],
    [{ post_logout_redirect_uri: `${bye}?a=1`, state: '' }, `${bye}?a=1&state=`],
    [{}, '/signed-out'],
    [{ state: 'x' }, '/signed-out'],
    [{ ui_locales: 'fr de' }, '/signed-out?ui_locales=fr+de'],
  ] as const)('with %j goes on to %s', async ([parameters, location]) => {
    const answer = await one.visitor.get(logoutPath({ id_token_hint: one.idToken, ...parameters }))
    expect([answer.statusCode, answer.headers.location]).toEqual([303, location])
    expect(await isSignedIn(one)).toBe(false)
  })

  test('goes on to a page of ours in the language that the client wishes', async () => {
    const answer = await one.visitor.get(logoutPath({ id_token_hint: one.idToken, ui_locales: 'se fr' }))
    const page = await one.visitor.get(String(answer.headers.location))
    expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining('<html lang="fr">')])
    expect(page.headers).toMatchObject(guards)
    expect((await one.visitor.get('/signed-out')).body).toContain('<html lang="en">')
  })

  test('takes an id_token that has expired', async () => {
    const claims = JSON.parse(Buffer.from(one.idToken.split('.')[1] ?? '', 'base64url').toString())
    const expired = await platform.members.signIdToken(platform.tenants.acme, {
      ...claims,
      exp: 1_600_000_000,
    })
    await one.visitor.get(logoutPath({ id_token_hint: expired }))
    expect(await isSignedIn(one)).toBe(false)
  })

  const insufficient: [string, (one: InBrowser) => Promise<string | undefined>][] = [
    ['no id_token', async () => undefined],
    ["another session's", async () => (await openBrowser()).idToken],
    ['a changed one', async ({ idToken }) => `${idToken.slice(0, -4)}AAAA`],
    ['an access token', async ({ accessToken }) => accessToken],
    ["the browser's own token", async ({ member }) => member.token],
    [
      'a logout token',
      ({ member: { memberId, sessionId } }) =>
        platform.members.signLogoutToken(platform.tenants.acme, {
          sub: memberId,
          aud: 'partner',
          sid: sessionId,
        }),
    ],
    [
      "another tenant's",
      ({ member: { memberId, sessionId } }) =>
        platform.members.signIdToken(platform.tenants.globe, {
          sub: memberId,
          aud: 'partner',
          sid: sessionId,
          iss: issuerOf(),
        }),
    ],
  ]
  test.for(insufficient)(
    'with %s asks the member first, and then does as it was asked',
    async ([, makeHint]) => {
      const hint = await makeHint(one)
      const path = logoutPath({
        client_id: 'partner',
        ...(hint !== undefined && { id_token_hint: hint }),
        post_logout_redirect_uri: bye,
        state: 's',
        ui_locales: 'de',
      })
      const page = await one.visitor.get(path)
      expect([page.statusCode, await isSignedIn(one)]).toEqual([200, true])
      expect(page.headers).toMatchObject(guards)
      expect(wordsOf(page.body)).toContain('Saltern Pictures möchte Sie abmelden.')
      expect(wordsOf(page.body)).toContain(one.email)
      const [action = ''] = actionsOf(page.body)
      const form = Object.fromEntries(
        ['form', 'state', 'post_logout_redirect_uri', 'client_id', 'id_token_hint', 'ui_locales']
          .map(name => [
            name,
            hiddenOf(page.body, name).replaceAll(/&#(\d+);/g, (_, c) => String.fromCharCode(c)),
          ])
          .filter(([, value]) => value !== ''),
      )
      for (const foreign of ['x', hiddenOf((await (await openBrowser()).visitor.get(path)).body, 'form')]) {
        const refused = await one.visitor.post(action, { ...form, form: foreign })
        expect([refused.statusCode, await isSignedIn(one)]).toEqual([403, true])
      }

      const answer = await one.visitor.post(action, form)
      expect([answer.statusCode, answer.headers.location]).toEqual([303, `${bye}?state=s`])
      expect(await isSignedIn(one)).toBe(false)
    },
  )

  test('ends what the client got by that sign-in, and nothing that another client or another sign-in got', async () => {
    const take = async (member: SignedIn, clientId: string, redirectUri: string): Promise<string> => {
      const code = await platform.issue({ member, scope: 'openid', clientId, redirectUri })
      const client = {
        client_id: clientId,
        client_secret: secretOf(clientId),
        redirect_uri: redirectUri,
      }
      return (await platform.exchange(code, client)).json().access_token
    }
    const neighbours = await take(one.member, 'neighbour', 'https://neighbour.example/callback')
    const elsewhere = await take(await platform.signIn('acme', one.email), 'partner', callback)
    await one.visitor.get(logoutPath({ id_token_hint: one.idToken }))
    const tokens = [one.accessToken, neighbours, elsewhere]
    expect(await Promise.all(tokens.map(platform.isActive))).toEqual([false, true, true])
  })

  test('of a browser in which nobody is signed in goes on without a question, and leaves others alone', async () => {
    const answer = await platform
      .visit()
      .get(logoutPath({ id_token_hint: one.idToken, post_logout_redirect_uri: bye }))
    expect([answer.statusCode, answer.headers.location]).toEqual([303, bye])
    // The client's own session is over; the member's on the other browser is not the client's to end.
    expect([await isSignedIn(one), await platform.isActive(one.accessToken)]).toEqual([true, false])
  })

  test('leads nowhere but to a registered address (threats, OAuth)', async () => {
    const neighbour = await openBrowser('neighbour')
    const { idToken } = one
    const cases: [string, Record<string, string> | [string, string][]][] = [
      ['an address that is not registered', { id_token_hint: idToken, post_logout_redirect_uri: `${bye}/` }],
      ['another case', { id_token_hint: idToken, post_logout_redirect_uri: bye.replace('app', 'APP') }],
      ['a query of its own', { id_token_hint: idToken, post_logout_redirect_uri: `${bye}?b=1` }],
      ['another site', { id_token_hint: idToken, post_logout_redirect_uri: 'https://evil.example/' }],
      ['no scheme', { id_token_hint: idToken, post_logout_redirect_uri: '//evil.example' }],
      ['a redirect URI', { id_token_hint: idToken, post_logout_redirect_uri: callback }],
      ["another client's", { id_token_hint: neighbour.idToken, post_logout_redirect_uri: bye }],
      ['no client', { post_logout_redirect_uri: bye }],
      ['an unknown client', { client_id: 'nobody', post_logout_redirect_uri: bye }],
      ['a disabled client', { client_id: 'off', post_logout_redirect_uri: bye }],
      ['another client_id', { id_token_hint: idToken, client_id: 'neighbour' }],
      [
        'an address twice',
        [
          ['post_logout_redirect_uri', bye],
          ['post_logout_redirect_uri', bye],
          ['client_id', 'partner'],
        ],
      ],
      [
        'a hint twice',
        [
          ['id_token_hint', idToken],
          ['id_token_hint', idToken],
        ],
      ],
    ]
    for (const [what, parameters] of cases) {
      const answer = await one.visitor.get(logoutPath(parameters))
      expect([what, answer.statusCode, answer.headers.location]).toEqual([what, 400, undefined])
    }
    expect(await isSignedIn(one)).toBe(true)
    const form = { post_logout_redirect_uri: 'https://evil.example/', client_id: 'partner' }
    const confirmed = await one.visitor.post('/oauth/logout/confirm', form)
    expect([confirmed.statusCode, confirmed.headers.location]).toEqual([400, undefined])
  })

  test('says that an id_token_hint cannot be read, where nothing else names the client', async () => {
    const parameters = { id_token_hint: 'no.id.token', post_logout_redirect_uri: bye }
    const answer = await one.visitor.get(logoutPath(parameters))
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toContain('post_logout_redirect_uri needs an id_token_hint that can be read')
  })

  test('of a client that was disabled leads not even to its own address, and still signs out', async () => {
    const own = { post_logout_redirect_uris: [bye] }
    await declarePartner(platform, { ...own, enabled: false })
    const hint = { id_token_hint: one.idToken }
    const refused = await one.visitor.get(logoutPath({ ...hint, post_logout_redirect_uri: bye }))
    expect([refused.statusCode, refused.headers.location]).toEqual([400, undefined])
    expect(await isSignedIn(one)).toBe(true)
    const answer = await one.visitor.get(logoutPath(hint))
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/signed-out'])
    expect(await isSignedIn(one)).toBe(false)
    await declarePartner(platform, { ...own, enabled: true })
  })

  test('of a client that lost an address leads there no more, though nobody was told of the change yet', async () => {
    const { pool } = platform.database
    const path = logoutPath({ client_id: 'partner', post_logout_redirect_uri: bye })
    expect((await platform.visit().get(path)).statusCode).toBe(303)
    await pool.query('alter table oauth_clients disable trigger user')
    await pool.query(`update oauth_clients set post_logout_redirect_uris = '{}' where client_id = 'partner'`)
    expect((await platform.visit().get(path)).statusCode).toBe(400)
    await pool.query('alter table oauth_clients enable trigger user')
    await declarePartner(platform, { post_logout_redirect_uris: [bye, `${bye}?a=1`] })
    expect((await platform.visit().get(path)).statusCode).toBe(303)
  })

  test('takes a POST of another site by way of a GET, which brings the cookie', async () => {
    const parameters = { id_token_hint: one.idToken, post_logout_redirect_uri: bye }
    const answer = await platform
      .visit()
      .post('/oauth/logout', parameters, { 'sec-fetch-site': 'cross-site' })
    expect([answer.statusCode, answer.headers.location]).toEqual([303, logoutPath(parameters)])
    expect(await isSignedIn(one)).toBe(true)
    await one.visitor.get(String(answer.headers.location))
    expect(await isSignedIn(one)).toBe(false)
  })
})
