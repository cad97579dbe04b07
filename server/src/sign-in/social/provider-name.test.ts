import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAddress } from '../../testing/sign-in-platform.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../testing/social/openid-provider.ts'
import {
  callbackOf,
  createSocialPlatform,
  type SocialPlatform,
} from '../../testing/social/social-platform.ts'
import { actionsOf, hiddenOf, type Visitor } from '../../testing/visitor.ts'

let platform: SocialPlatform
const providers: OpenIdProvider[] = []
beforeAll(async () => {
  platform = await createSocialPlatform()
  // Each puts its claims in another place.
  for (const [id, claimsIn] of [
    ['staff', 'userinfo'],
    ['work', 'id_token'],
  ] as const) {
    const provider = await startOpenIdProvider({ redirectUris: [callbackOf(id)], claimsIn })
    providers.push(provider)
    const client = { client_id: 'usher', client_secret: provider.clientSecret }
    await platform.setProvider(id, { provider: 'oidc', name: id, issuer: provider.issuer, ...client })
  }
})
afterAll(async () => {
  await platform?.close()
  for (const provider of providers) await provider.close()
})

let count = 0
/** An account that both providers have, by what they say of it. */
function account(name: unknown): { login: string; email: string; claims: Record<string, unknown> } {
  const [login, email] = [`person-${++count}`, newAddress()]
  const claims = { email, email_verified: true, name }
  for (const { accounts } of providers) accounts[login] = claims
  return { login, email, claims }
}

async function nameOf(email: string): Promise<string | null | undefined> {
  const { rows } = await platform.database.pool.query('select name from members where email = $1', [email])
  return rows[0]?.name
}

async function rename(visitor: Visitor, name: string): Promise<void> {
  const form = hiddenOf((await visitor.get('/account')).body, 'form')
  expect((await visitor.post('/account/name', { form, name })).statusCode).toBe(303)
}

describe('the name that a provider tells', () => {
  test.for(['staff', 'work'])('at %s is that of the member who is made by it', async provider => {
    const { login, email } = account(' Ada\tLovelace ')
    expect((await platform.signInBy(platform.visit(), provider, login)).statusCode).toBe(303)
    expect(await nameOf(email)).toBe('Ada Lovelace')
  })

  test.for<[string, unknown, string | null]>([
    ['is too long', `${'a'.repeat(99)}😀b`, 'a'.repeat(99)],
    ['is longer than any', 'n'.repeat(5_000), 'n'.repeat(100)],
    ['has nothing to be seen', ' \n ', null],
    ['is no text', { first: 'Ada' }, null],
    ['has what no database holds', 'A\0da \ud800', 'A da \ufffd'],
  ])('that %s is kept as far as it can be', async ([, name, kept]) => {
    const { login, email } = account(name)
    expect((await platform.signInBy(platform.visit(), 'work', login)).statusCode).toBe(303)
    expect(await nameOf(email)).toBe(kept)
  })

  test('is taken from the id_token where userinfo has the address alone', async () => {
    const { login, email } = account(undefined)
    providers[0]?.tamper({ claims: claims => ({ ...claims, name: 'Ada' }) })
    expect((await platform.signInBy(platform.visit(), 'staff', login)).statusCode).toBe(303)
    expect(await nameOf(email)).toBe('Ada')
    providers[0]?.behave()
  })

  test('names a member who had none, at the next sign-in', async () => {
    const { login, email, claims } = account(undefined)
    await platform.signInBy(platform.visit(), 'staff', login)
    expect(await nameOf(email)).toBeNull()
    claims.name = 'Ada'
    await platform.signInBy(platform.visit(), 'staff', login)
    expect(await nameOf(email)).toBe('Ada')
  })

  test('takes the place of no name, and of none that the member has taken away', async () => {
    const { login, email } = account('Augusta Ada King')
    const visitor = platform.visit()
    await platform.signInBy(visitor, 'staff', login)
    for (const name of ['Ada', '']) {
      await rename(visitor, name)
      for (const provider of ['staff', 'work'])
        expect((await platform.signInBy(platform.visit(), provider, login)).statusCode).toBe(303)
      expect(await nameOf(email)).toBe(name || null)
    }
  })

  test('names a member who links the account', async () => {
    const { login, email } = account('Ada')
    const visitor = platform.visit()
    const [flow = ''] = actionsOf((await visitor.get('/account')).body)
    const mine = newAddress()
    const { code } = await platform.askForMail(visitor, flow, mine)
    await visitor.post(`${flow}/code`, { code })
    const form = hiddenOf((await visitor.get('/account')).body, 'form')
    const sent = await visitor.post('/account/social/link', { form, provider: 'staff' })
    await platform.comeBack(visitor, String(sent.headers.location), { login, action: 'login' })
    expect([await nameOf(mine), await nameOf(email)]).toEqual(['Ada', undefined])
  })
})
