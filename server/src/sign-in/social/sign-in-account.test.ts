import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { callback } from '../../testing/oauth-platform.ts'
import { arrivedAt, newAddress, sessionCookie } from '../../testing/sign-in-platform.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../testing/social/openid-provider.ts'
import { signInAt } from '../../testing/social/sign-in-at.ts'
import {
  callbackOf,
  createSocialPlatform,
  pathOf,
  type SocialPlatform,
} from '../../testing/social/social-platform.ts'
import { wordsOf } from '../../testing/visitor.ts'

let platform: SocialPlatform
let provider: OpenIdProvider
beforeAll(async () => {
  provider = await startOpenIdProvider({
    redirectUris: [callbackOf('staff'), callbackOf('staff', 'globe'), callbackOf('work')],
  })
  platform = await createSocialPlatform()
  const terms = { issuer: provider.issuer, client_id: 'usher', client_secret: provider.clientSecret }
  for (const slug of ['acme', 'globe'] as const)
    await platform.setProvider('staff', { provider: 'oidc', name: 'Staff', ...terms }, slug)
  await platform.setProvider('work', { provider: 'microsoft', name: 'Work', ...terms })
})
afterEach(() => provider.behave())
afterAll(async () => {
  await platform?.close()
  await provider?.close()
})

let count = 0
/** An account at the provider. */
function account(claims: Record<string, unknown> = {}): { login: string; email: string } {
  const email = newAddress()
  const login = `person-${++count}`
  provider.accounts[login] = { email, email_verified: true, ...claims }
  return { login, email }
}
const byMail = async (email: string) => {
  const visitor = platform.visit()
  const flow = await platform.begin(visitor)
  const { code } = await platform.askForMail(visitor, flow, email)
  expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(303)
  return visitor
}
const identitiesOf = async (email: string) => (await platform.identities())[email]

describe('signing in by a provider (decisions, "Signing in")', () => {
  test('goes on with the flow as it was asked for, and makes a member by the verified address', async () => {
    const { login, email } = account()
    const visitor = platform.visit()
    const answer = await platform.signInBy(visitor, 'staff', login)
    const arrived = arrivedAt(answer)
    expect(arrived).toMatchObject({ to: callback, state: 'st&te=1', iss: 'http://members.acme.example' })
    expect((await platform.exchange(arrived.code ?? '')).statusCode).toBe(200)
    expect(await platform.whoIs(visitor)).toBe(email)
    expect(await identitiesOf(email)).toEqual([`staff ${email}`])
  })

  test('keeps the PKCE challenge of the client', async () => {
    const { login } = account()
    const visitor = platform.visit()
    const verifier = 'v'.repeat(43)
    const flow = await platform.begin(visitor, {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const address = await platform.press(visitor, flow, 'staff')
    const { code = '' } = arrivedAt(await platform.comeBack(visitor, address, { login, action: 'login' }))
    expect((await platform.exchange(code)).statusCode).toBe(400)
    expect((await platform.exchange(code, { code_verifier: verifier })).statusCode).toBe(200)
  })

  test('joins the member of the verified address, whatever its case', async () => {
    const { login, email } = account()
    const before = await platform.whoIs(await byMail(email))
    provider.accounts[login] = { email: email.toUpperCase(), email_verified: true }
    const visitor = platform.visit()
    await platform.signInBy(visitor, 'staff', login)
    expect([before, await platform.whoIs(visitor)]).toEqual([email, email])
  })

  test('knows an account again whatever has become of its address', async () => {
    const { login, email } = account()
    await platform.signInBy(platform.visit(), 'staff', login)
    for (const claims of [{ email: newAddress(), email_verified: true }, { email: 'x@y.z' }, {}]) {
      provider.accounts[login] = claims
      const visitor = platform.visit()
      await platform.signInBy(visitor, 'staff', login)
      expect(await platform.whoIs(visitor)).toBe(email)
    }
  })

  test.for([
    ['false', { email_verified: false }],
    ['missing', { email_verified: undefined }],
    ['a word, as only Apple writes it', { email_verified: 'true' }],
    ['a number', { email_verified: 1 }],
    ['said of no address', { email: undefined }],
    ['said of what is no address', { email: 'a@b, c@d.example' }],
  ] as const)('joins nobody where email_verified is %s', async ([, claims]) => {
    const { login, email } = account()
    await byMail(email)
    provider.accounts[login] = { ...provider.accounts[login], ...claims }
    const visitor = platform.visit()
    const answer = await platform.signInBy(visitor, 'staff', login)
    expect(answer.statusCode).toBe(403)
    expect(wordsOf(answer.body)).toContain('Staff does not confirm that a mail address is yours.')
    // Every way is offered again.
    expect(answer.body).toContain('name="email"')
    expect(answer.body).toContain('name="provider" value="staff"')
    expect(visitor.cookies.has(sessionCookie)).toBe(false)
    expect(await identitiesOf(email)).toBeUndefined()
  })

  test('joins nobody by an address of userinfo where the id_token alone says that one is verified', async () => {
    const { login, email } = account({ email_verified: false })
    provider.tamper({ claims: claims => ({ ...claims, email_verified: true }) })
    expect((await platform.signInBy(platform.visit(), 'staff', login)).statusCode).toBe(403)
    expect(await identitiesOf(email)).toBeUndefined()
  })

  test('believes Microsoft only of an address whose domain has an owner who stands behind it', async () => {
    const { login, email } = account()
    const refused = await platform.signInBy(platform.visit(), 'work', login)
    expect(refused.statusCode).toBe(403)
    provider.accounts[login] = { email, xms_edov: false, email_verified: true }
    expect((await platform.signInBy(platform.visit(), 'work', login)).statusCode).toBe(403)
    provider.accounts[login] = { email, xms_edov: true }
    const visitor = platform.visit()
    expect((await platform.signInBy(visitor, 'work', login)).statusCode).toBe(303)
    expect(await platform.whoIs(visitor)).toBe(email)
  })

  test('lets nobody in who is not a member where sign-up is closed, and members', async () => {
    const { login, email } = account()
    await platform.database.pool.query(`update tenants set sign_up = 'closed' where slug = 'acme'`)
    const closed = async () => {
      const answer = await platform.signInBy(platform.visit(), 'staff', login)
      return [answer.statusCode, await identitiesOf(email)]
    }
    await expect.poll(closed).toEqual([403, undefined])
    await platform.members.findOrCreateMember(
      platform.database.db,
      { ...platform.tenants.acme, signIn: { ...platform.tenants.acme.signIn, signUp: 'open' } },
      email,
      new Date(),
    )
    expect((await platform.signInBy(platform.visit(), 'staff', login)).statusCode).toBe(303)
    await platform.database.pool.query(`update tenants set sign_up = 'open' where slug = 'acme'`)
    await expect
      .poll(async () => (await platform.signInBy(platform.visit(), 'staff', account().login)).statusCode)
      .toBe(303)
  })

  test('is of one tenant: the same account at another is another member', async () => {
    const { login, email } = account()
    await platform.signInBy(platform.visit(), 'staff', login)
    const { rows } = await platform.database.pool.query(
      `select t.slug from member_identities i join tenants t on t.id = i.tenant_id where label = $1`,
      [email],
    )
    expect(rows).toEqual([{ slug: 'acme' }])
  })

  test('always makes a new session, and ends that of somebody else', async () => {
    const [one, other] = [account(), account()]
    const visitor = platform.visit()
    await platform.signInBy(visitor, 'staff', one.login)
    const first = visitor.cookies.get(sessionCookie)
    const flow = await platform.begin(visitor, { prompt: 'login' })
    const address = await platform.press(visitor, flow, 'staff')
    await platform.comeBack(visitor, address, { login: other.login, action: 'login' })
    expect(await platform.whoIs(visitor)).toBe(other.email)
    visitor.cookies.set(sessionCookie, first ?? '')
    expect(await platform.whoIs(visitor)).toBeUndefined()
  })

  test('makes one member of two who come at once with one account', async () => {
    const { login, email } = account()
    const visits = await Promise.all(
      [1, 2, 3].map(async () => {
        const visitor = platform.visit()
        const flow = await platform.begin(visitor)
        const back = await signInAt(await platform.press(visitor, flow, 'staff'), { login, action: 'login' })
        return { visitor, path: pathOf(back) }
      }),
    )
    const answers = await Promise.all(visits.map(({ visitor, path }) => visitor.get(path)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([303, 303, 303])
    expect(await identitiesOf(email)).toEqual([`staff ${email}`])
  })
})
