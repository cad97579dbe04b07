import { createPublicKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callback, hostOf, issuerOf, oauthRefusal } from '../../testing/oauth-platform.ts'
import {
  createOpenIdPlatform,
  isContinuePage,
  isSignInPage,
  type OpenIdPlatform,
  openid,
} from '../../testing/openid-platform.ts'
import { arrivedAt, authorizePath, newAddress } from '../../testing/sign-in-platform.ts'
import { actionsOf, type Visitor } from '../../testing/visitor.ts'

// Of the basic profile's list: whom the client means, and in which language it has them asked.

let platform: OpenIdPlatform
beforeAll(async () => {
  platform = await createOpenIdPlatform()
})
afterAll(() => platform.close())

describe('oidcc-id-token-hint', () => {
  test('of the member who is signed in: a code', async () => {
    const visitor = platform.visit()
    const tokens = await platform.redeem(await platform.arrive(visitor))
    expect(await platform.askSilently(visitor, { id_token_hint: tokens.id_token })).toHaveProperty('code')
  })

  test('of another member: login_required silently, nobody is offered to continue, and nobody else comes back', async () => {
    const other = await platform.redeem(await platform.arrive(platform.visit()))
    const visitor = platform.visit()
    await platform.arrive(visitor)
    const hint = { id_token_hint: other.id_token }
    expect(await platform.askSilently(visitor, hint)).toEqual({
      ...oauthRefusal('login_required'),
      state: 'st&te=1',
      iss: issuerOf(),
    })
    expect(isSignInPage((await visitor.get(authorizePath(openid(hint)))).body)).toBe(true)
    expect(await platform.arrive(visitor, hint)).toEqual({
      to: callback,
      ...oauthRefusal('login_required'),
      state: 'st&te=1',
      iss: issuerOf(),
    })
  })

  test('that has expired still says whom the client means', async () => {
    const visitor = platform.visit()
    const { id_token: hint } = await platform.redeem(await platform.arrive(visitor))
    const claims = JSON.parse(Buffer.from(hint.split('.')[1] ?? '', 'base64url').toString())
    const expired = await platform.members.signIdToken(platform.tenants.acme, {
      ...claims,
      iat: 1_600_000_000,
      exp: 1_600_003_600,
    })
    expect(await platform.askSilently(visitor, { id_token_hint: expired })).toHaveProperty('code')
  })

  test('that is not one of this client is invalid_request', async () => {
    const visitor = platform.visit()
    const tokens = await platform.redeem(await platform.arrive(visitor))
    const claims = await platform.read(tokens)
    const [header, payload, signature = ''] = tokens.id_token.split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
    const { acme, globe } = platform.tenants
    const published = async (slug: 'acme' | 'globe') =>
      (await platform.request(hostOf(slug), { url: '/.well-known/jwks.json' })).json().keys[0]
    const ownKey = await published('acme')
    const publicPem = createPublicKey({ key: ownKey, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
    const withKid = (kid: string) => {
      const head = Buffer.from(JSON.stringify({ alg: 'RS256', typ: 'JWT', kid })).toString('base64url')
      return `${head}.${payload}.${signature}`
    }
    const bad = {
      rubbish: 'rubbish',
      'one that the public key signed as if it were a secret': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: ownKey.kid })
        .sign(Buffer.from(publicPem)),
      "one with the kid of another tenant's key": withKid((await published('globe')).kid),
      'one with a kid that leads elsewhere': withKid('../../etc/passwd'),
      'a logout token': await platform.members.signLogoutToken(acme, { ...claims }),
      'one that is longer than any of ours': await platform.members.signIdToken(acme, {
        ...claims,
        more: 'x'.repeat(4_096),
      }),
      'an access token': tokens.access_token,
      'a changed one': `${header}.${payload}.${signature.replace(/^./, first => (first === 'A' ? 'B' : 'A'))}`,
      'an unsigned one': `${none}.${payload}.`,
      "another client's": await platform.members.signIdToken(acme, {
        ...claims,
        aud: 'neighbour',
      }),
      "another tenant's": await platform.members.signIdToken(globe, {
        ...claims,
        iss: issuerOf(),
      }),
      'one of another issuer': await platform.members.signIdToken(acme, {
        ...claims,
        iss: issuerOf('globe'),
      }),
    }
    for (const [what, hint] of Object.entries(bad))
      expect([what, (await platform.askSilently(visitor, { id_token_hint: hint })).error]).toEqual([
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
    const { mail, link } = await platform.askForMail(visitor, flow, newAddress())
    expect(mail.text).toContain('Bonjour')
    // The mail may be read on another device, of other languages.
    for (const reader of [visitor, platform.visit({ headers: { 'accept-language': 'de' } })])
      expect((await reader.get(link)).body).toContain('<html lang="fr">')
    const elsewhere = platform.visit({ headers: { 'accept-language': 'de' } })
    expect((await elsewhere.post(link)).body).toContain('<html lang="fr">')
    const unknown = await visitor.get(authorizePath(openid({ ui_locales: 'se' })))
    expect(unknown.body).toContain('<html lang="es">')
  })
})

describe('a flow that is over', () => {
  const startAgain = async (visitor: Visitor, flow: string): Promise<string> => {
    await platform.passTime(3_601)
    const page = await visitor.get(flow)
    expect(page.statusCode).toBe(410)
    return /class="button" href="([^"]+)"/.exec(page.body)?.[1] ?? ''
  }

  test('is begun anew with all that was asked for', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor, openid({ max_age: '60', ui_locales: 'de', nonce: 'n' }))
    const href = await startAgain(visitor, flow)
    expect((await visitor.get(flow)).body).toContain('<html lang="de">')
    const page = await visitor.get(href)
    expect(page.body).toContain('<html lang="de">')
    const [begun = ''] = actionsOf(page.body)
    const { code } = await platform.askForMail(visitor, begun, newAddress())
    const arrived = arrivedAt(await visitor.post(`${begun}/code`, { code }))
    expect(arrived).toMatchObject({ to: callback, state: 'st&te=1' })
    const claims = await platform.read(await platform.redeem(arrived))
    expect(claims).toMatchObject({ nonce: 'n', auth_time: expect.any(Number) })
  })

  test('still means the member whom an id_token_hint named', async () => {
    const other = await platform.redeem(await platform.arrive(platform.visit()))
    const visitor = platform.visit()
    await platform.arrive(visitor)
    const flow = await platform.begin(visitor, openid({ id_token_hint: other.id_token }))
    const page = await visitor.get(await startAgain(visitor, flow))
    expect(isSignInPage(page.body)).toBe(true)
    const [begun = ''] = actionsOf(page.body)
    const { code } = await platform.askForMail(visitor, begun, newAddress())
    expect(arrivedAt(await visitor.post(`${begun}/code`, { code })).error).toBe('login_required')
  })

  test('still skips continue-as where prompt asked for it', async () => {
    const visitor = platform.visit()
    await platform.arrive(visitor)
    const again = await startAgain(visitor, await platform.begin(visitor, openid({ prompt: 'login' })))
    expect(isSignInPage((await visitor.get(again)).body)).toBe(true)
    const plain = await startAgain(visitor, (await platform.begin(visitor)).replace('/continue', ''))
    expect(isContinuePage((await visitor.get(plain)).body)).toBe(true)
  })

  test('is begun anew in its own browser alone', async () => {
    const visitor = platform.visit()
    const again = await startAgain(visitor, await platform.begin(visitor))
    const stranger = await platform.visit().get(again)
    expect([stranger.statusCode, actionsOf(stranger.body)]).toEqual([404, []])
  })

  test.for([
    ['was disabled', `enabled = false`],
    ['lost its redirect URI', `redirect_uris = '{https://app.partner.example/elsewhere}'`],
  ] as const)('is not begun anew where its client %s since', async ([, change]) => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor, { client_id: 'neighbour' })
    const again = await startAgain(visitor, flow)
    const { pool } = platform.database
    const { rows } = await pool.query(
      `select enabled, redirect_uris from oauth_clients where client_id = 'neighbour'`,
    )
    await pool.query(`update oauth_clients set ${change} where client_id = 'neighbour'`)
    await expect.poll(async () => (await visitor.get(again)).statusCode).toBe(400)
    await pool.query(
      `update oauth_clients set enabled = $1, redirect_uris = $2 where client_id = 'neighbour'`,
      [rows[0].enabled, rows[0].redirect_uris],
    )
    await expect.poll(async () => (await visitor.get(again)).statusCode).toBe(200)
  })
})
