import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callback } from '../../testing/oauth-platform.ts'
import { arrivedAt, newAddress, pageGuards } from '../../testing/sign-in-platform.ts'
import { type AppleServer, startAppleServer } from '../../testing/social/apple-server.ts'
import {
  callbackOf,
  createSocialPlatform,
  type SocialPlatform,
} from '../../testing/social/social-platform.ts'
import { actionsOf, hiddenOf, type Visitor, wordsOf } from '../../testing/visitor.ts'

// Apple answers by form_post, and its client secret is a JWT that expires (decisions, "Signing in").

let platform: SocialPlatform
let apple: AppleServer
beforeAll(async () => {
  apple = await startAppleServer()
  platform = await createSocialPlatform()
  await platform.setProvider('apple', { provider: 'apple', issuer: apple.issuer, ...apple.terms })
})
afterAll(async () => {
  await platform?.close()
  await apple?.close()
})

let email: string
let subject = 0
beforeEach(() => {
  email = newAddress()
  apple.claims = { sub: `001234.${++subject}.0123`, email, email_verified: 'true', is_private_email: 'false' }
})

const fromApple = { 'sec-fetch-site': 'cross-site', origin: 'https://appleid.apple.com' }
const callbackPath = new URL(callbackOf('apple')).pathname

/** The form that Apple's page has for this browser. */
async function formOfApple(visitor: Visitor, flow: string): Promise<Record<string, string>> {
  const address = await platform.press(visitor, flow, 'apple')
  const body = await (await fetch(address)).text()
  return {
    state: hiddenOf(body, 'state'),
    code: hiddenOf(body, 'code'),
    user: JSON.stringify({ name: { firstName: 'Ada', lastName: 'Lovelace' } }),
    extra: 'of no use',
  }
}

describe('an answer by form_post, which comes from another site without cookies', () => {
  test('is posted on by a page of ours, which changes nothing, and then signs in', async () => {
    const visitor = platform.visit()
    const form = await formOfApple(visitor, await platform.begin(visitor))
    // As a browser sends it: without Lax cookies.
    const page = await platform.visit().post(callbackPath, form, fromApple)
    expect(page.statusCode).toBe(200)
    expect(page.headers).toMatchObject({
      ...pageGuards,
      'content-security-policy': expect.stringMatching(
        /frame-ancestors 'self'; script-src 'sha256-[\w+/]{43}='$/,
      ),
    })
    expect(page.headers['set-cookie']).toBeUndefined()
    const [action = ''] = actionsOf(page.body)
    expect(action).toBe('/sign-in/social/apple/return')
    const posted = { code: hiddenOf(page.body, 'code'), state: hiddenOf(page.body, 'state') }
    expect(posted).toEqual({ code: form.code, state: form.state })
    expect(page.body).toContain(`name="user" value="${form.user?.replaceAll('"', '&#34;')}"`)
    // Only what is needed is posted on.
    expect(page.body).not.toContain('of no use')

    const arrived = arrivedAt(await visitor.post(action, posted))
    expect(arrived).toMatchObject({ to: callback, state: 'st&te=1' })
    expect(await platform.whoIs(visitor)).toBe(email)
  })

  test('is posted on by a page in the language that the client wishes', async () => {
    const visitor = platform.visit()
    const form = await formOfApple(visitor, await platform.begin(visitor, { ui_locales: 'fr' }))
    const page = await platform.visit().post(callbackPath, form, fromApple)
    expect(page.body).toContain('<html lang="fr">')
    const unknown = await platform.visit().post(callbackPath, { ...form, state: 'x' }, fromApple)
    expect([unknown.statusCode, unknown.body]).toEqual([200, expect.stringContaining('<html lang="en">')])
  })

  test('is refused where another site posts to where our page posts', async () => {
    const visitor = platform.visit()
    const form = await formOfApple(visitor, await platform.begin(visitor))
    expect((await visitor.post('/sign-in/social/apple/return', form, fromApple)).statusCode).toBe(403)
  })

  test('is nobody’s in a browser that did not ask', async () => {
    const visitor = platform.visit()
    const form = await formOfApple(visitor, await platform.begin(visitor))
    expect((await platform.visit().post('/sign-in/social/apple/return', form)).statusCode).toBe(404)
  })

  test('that says no is told, and the flow goes on', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { state = '' } = await formOfApple(visitor, flow)
    const answer = await visitor.post('/sign-in/social/apple/return', {
      state,
      error: 'user_cancelled_authorize',
    })
    expect([answer.statusCode, wordsOf(answer.body)]).toEqual([
      403,
      expect.stringContaining('Apple did not sign you in.'),
    ])
    expect(actionsOf(answer.body)).toEqual([flow, `${flow}/social`])
  })
})

describe('the name in the form', () => {
  test.for<[string, string | undefined, string | null]>([
    ['of two parts', '{"name":{"firstName":"Ada","lastName":"Lovelace"}}', 'Ada Lovelace'],
    ['of one', '{"name":{"firstName":"Ada","middleName":null}}', 'Ada'],
    ['that is none', '{"name":{"firstName":1,"lastName":["x"]}}', null],
    ['that is missing', '{"email":"x@example.com"}', null],
    ['in what is no object', 'null', null],
    ['in what is no JSON', '{"name"', null],
    ['that came the first time alone', undefined, null],
  ])('%s is the member’s', async ([, user, name]) => {
    const visitor = platform.visit()
    const { user: _, ...form } = await formOfApple(visitor, await platform.begin(visitor))
    const sent = { ...form, ...(user !== undefined && { user }) }
    expect((await visitor.post('/sign-in/social/apple/return', sent)).statusCode).toBe(303)
    const { rows } = await platform.database.pool.query('select name from members where email = $1', [email])
    expect(rows).toEqual([{ name }])
  })
})

describe('the client secret', () => {
  test('is a JWT that the server verifies with the public key, good for five minutes', async () => {
    const visitor = platform.visit()
    const form = await formOfApple(visitor, await platform.begin(visitor))
    await visitor.post('/sign-in/social/apple/return', form)
    const { iat, exp, ...claims } = apple.secrets.at(-1) as { iat: number; exp: number }
    expect(claims).toEqual({ iss: 'TEAM012345', sub: 'example.acme.members', aud: apple.issuer })
    expect(exp - iat).toBe(300)
  })

  test.for([
    [
      'another key',
      () => ({ private_key: makeKey('prime256v1') }),
      'private_key was refused by Apple (invalid_client)',
    ],
    ['another team', () => ({ team_id: 'OTHER01234' }), 'private_key was refused by Apple (invalid_client)'],
    [
      'another id of the key',
      () => ({ key_id: 'OTHER01234' }),
      'private_key was refused by Apple (invalid_client)',
    ],
    ['another client', () => ({ client_id: 'x' }), 'private_key was refused by Apple (invalid_client)'],
    [
      'a key of another curve',
      () => ({ private_key: makeKey('secp384r1') }),
      'private_key must be the text of the .p8 file',
    ],
    ['what is no key', () => ({ private_key: 'key' }), 'private_key must be the text of the .p8 file'],
    ['no id of a team', () => ({ team_id: 'acme' }), 'team_id must be the 10 capital letters'],
    ['a secret', () => ({ client_secret: 'x' }), 'client_secret is made from private_key; leave it out'],
  ] as const)('with %s is told when it is saved', async ([, change, message]) => {
    await expect(platform.setProvider('apple', change())).rejects.toThrow(message)
  })
})

const makeKey = (namedCurve: string): string =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

describe('email_verified', () => {
  test.for([
    ['true', 303],
    [true, 303],
    ['false', 403],
    [false, 403],
    [undefined, 403],
  ] as const)('that is %j is answered with %i', async ([verified, status]) => {
    apple.claims = { ...apple.claims, email_verified: verified }
    const visitor = platform.visit()
    const form = await formOfApple(visitor, await platform.begin(visitor))
    expect((await visitor.post('/sign-in/social/apple/return', form)).statusCode).toBe(status)
  })
})
