import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newAddress } from '../../testing/sign-in-platform.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../testing/social/openid-provider.ts'
import { signInAt } from '../../testing/social/sign-in-at.ts'
import {
  callbackOf,
  createSocialPlatform,
  pathOf,
  type SocialPlatform,
} from '../../testing/social/social-platform.ts'
import { hiddenOf, type Visitor, wordsOf } from '../../testing/visitor.ts'

let platform: SocialPlatform
let provider: OpenIdProvider
beforeAll(async () => {
  provider = await startOpenIdProvider({ redirectUris: [callbackOf('staff'), callbackOf('work')] })
  platform = await createSocialPlatform()
  for (const id of ['staff', 'work'])
    await platform.setProvider(id, {
      provider: 'oidc',
      name: id === 'staff' ? 'Staff' : 'Work',
      issuer: provider.issuer,
      client_id: 'usher',
      client_secret: provider.clientSecret,
    })
})
afterEach(() => setLoginMethods('{magic_link,one_time_code}'))
afterAll(async () => {
  await platform?.close()
  await provider?.close()
})

async function setLoginMethods(methods: string): Promise<void> {
  await platform.database.pool.query(`update tenants set login_methods = $1 where slug = 'acme'`, [methods])
  const offersMail = async () => (await platform.visit().get('/account')).body.includes('name="email"')
  await expect.poll(offersMail).toBe(methods !== '{}')
}

let count = 0
const newLogin = (claims: Record<string, unknown> = {}): string => {
  const login = `account-${++count}`
  provider.accounts[login] = { email: `${login}@provider.example`, email_verified: true, ...claims }
  return login
}
/** A member who signed in by mail. */
async function byMail(): Promise<{ visitor: Visitor; email: string }> {
  const email = newAddress()
  const visitor = platform.visit()
  const flow = await platform.begin(visitor)
  const { code } = await platform.askForMail(visitor, flow, email)
  await visitor.post(`${flow}/code`, { code })
  expect(await platform.whoIs(visitor)).toBe(email)
  return { visitor, email }
}
const tokenOf = async (visitor: Visitor) => hiddenOf((await visitor.get('/account')).body, 'form')
async function goToLink(visitor: Visitor, id = 'staff'): Promise<string> {
  const answer = await visitor.post('/account/social/link', { form: await tokenOf(visitor), provider: id })
  expect(answer.statusCode).toBe(303)
  return String(answer.headers.location)
}
const link = async (visitor: Visitor, login: string, id = 'staff') =>
  platform.comeBack(visitor, await goToLink(visitor, id), { login, action: 'login' })
async function unlink(visitor: Visitor) {
  const page = (await visitor.get('/account')).body
  const account = /name="account" value="([^"]+)"/.exec(page)?.[1] ?? ''
  return visitor.post('/account/social/unlink', { form: hiddenOf(page, 'form'), account })
}
const identitiesOf = async (email: string) => (await platform.identities())[email] ?? []

describe('linking an account on the account page (decisions, "Signing in")', () => {
  test('needs no address in common, and from then on signs in', async () => {
    const { visitor, email } = await byMail()
    const login = newLogin({ email_verified: false })
    const answer = await link(visitor, login)
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/account?linked'])
    const page = (await visitor.get('/account?linked')).body
    expect(wordsOf(page)).toContain('The account is linked.')
    expect(wordsOf(page)).toContain(`Staff ${login}@provider.example`)
    const elsewhere = platform.visit()
    expect((await platform.signInBy(elsewhere, 'staff', login)).statusCode).toBe(303)
    expect(await platform.whoIs(elsewhere)).toBe(email)
  })

  test('shows by what the provider calls it, as far as a page and a database can', async () => {
    const { visitor, email } = await byMail()
    const login = newLogin({ email: undefined, name: ' <b>Ann</b>\0\n of\u0007 Acme ' })
    expect((await link(visitor, login)).headers.location).toBe('/account?linked')
    expect(await identitiesOf(email)).toEqual(['staff <b>Ann</b>   of  Acme'])
    expect((await visitor.get('/account')).body).not.toContain('<b>Ann')
  })

  test('twice changes nothing', async () => {
    const { visitor, email } = await byMail()
    const login = newLogin()
    await link(visitor, login)
    expect((await link(visitor, login)).headers.location).toBe('/account?linked')
    expect(await identitiesOf(email)).toHaveLength(1)
  })

  test('of an account that another member has linked is refused, and says so', async () => {
    const [mine, theirs] = [await byMail(), await byMail()]
    const login = newLogin()
    await link(theirs.visitor, login)
    const answer = await link(mine.visitor, login)
    expect([answer.statusCode, wordsOf(answer.body)]).toEqual([
      409,
      expect.stringContaining('This account at Staff is linked to another member here.'),
    ])
    expect([await identitiesOf(mine.email), await identitiesOf(theirs.email)]).toEqual([
      [],
      [`staff ${login}@provider.example`],
    ])
  })

  test('that is refused there is told on the account page', async () => {
    const { visitor } = await byMail()
    const answer = await platform.comeBack(visitor, await goToLink(visitor), { action: 'cancel' })
    expect([answer.statusCode, wordsOf(answer.body)]).toEqual([
      403,
      expect.stringContaining('Staff did not sign you in.'),
    ])
    expect(wordsOf(answer.body)).toContain('Your account')
  })

  test('goes to the member who asked, or to nobody', async () => {
    const [mine, other] = [await byMail(), await byMail()]
    const back = await signInAt(await goToLink(mine.visitor), { login: newLogin(), action: 'login' })
    // Somebody else has signed in on this browser meanwhile.
    for (const [name, cookie] of other.visitor.cookies)
      if (name.startsWith('_SERVICET')) mine.visitor.cookies.set(name, cookie)
    expect((await mine.visitor.get(pathOf(back))).statusCode).toBe(404)
    expect([await identitiesOf(mine.email), await identitiesOf(other.email)]).toEqual([[], []])
  })

  test('is over when the member has signed in anew meanwhile', async () => {
    const { visitor, email } = await byMail()
    const back = await signInAt(await goToLink(visitor), { login: newLogin(), action: 'login' })
    const flow = await platform.begin(visitor, { prompt: 'login' })
    const { code } = await platform.askForMail(visitor, flow, email)
    await visitor.post(`${flow}/code`, { code })
    expect(await platform.whoIs(visitor)).toBe(email)
    expect((await visitor.get(pathOf(back))).statusCode).toBe(404)
    expect(await identitiesOf(email)).toEqual([])
  })

  test('is of no use to who has only the address that the browser is sent to', async () => {
    const [attacker, victim] = [await byMail(), await byMail()]
    // The attacker's account at the provider, foisted on the victim's session.
    const back = await signInAt(await goToLink(attacker.visitor), { login: newLogin(), action: 'login' })
    expect((await victim.visitor.get(pathOf(back))).statusCode).toBe(404)
    expect(await identitiesOf(victim.email)).toEqual([])
  })

  test.for(['/account/social/link', '/account/social/unlink'])(
    '%s takes forms of the account page of this session alone',
    async path => {
      const [mine, other] = [await byMail(), await byMail()]
      await link(mine.visitor, newLogin())
      const form = await tokenOf(other.visitor)
      const sent = { provider: 'staff', account: 'x' }
      expect((await mine.visitor.post(path, { form, ...sent })).statusCode).toBe(403)
      expect((await mine.visitor.post(path, sent)).statusCode).toBe(403)
      const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
      const own = await tokenOf(mine.visitor)
      expect((await mine.visitor.post(path, { form: own, ...sent }, foreign)).statusCode).toBe(403)
      const stranger = await platform.visit().post(path, { form: own, ...sent })
      expect([stranger.statusCode, stranger.headers.location]).toEqual([303, '/account'])
      expect(await identitiesOf(mine.email)).toHaveLength(1)
    },
  )
})

describe('unlinking', () => {
  test('takes the account away, which signs nobody in any more', async () => {
    const { visitor, email } = await byMail()
    const login = newLogin({ email_verified: false })
    await link(visitor, login)
    expect((await unlink(visitor)).headers.location).toBe('/account?unlinked')
    expect(wordsOf((await visitor.get('/account?unlinked')).body)).toContain(
      'The account is not linked any more.',
    )
    expect(await identitiesOf(email)).toEqual([])
    expect((await platform.signInBy(platform.visit(), 'staff', login)).statusCode).toBe(403)
  })

  test("does not take another member's away", async () => {
    const [mine, theirs] = [await byMail(), await byMail()]
    await link(theirs.visitor, newLogin())
    const [, account = ''] =
      /name="account" value="([^"]+)"/.exec((await theirs.visitor.get('/account')).body) ?? []
    expect(account).not.toBe('')
    const form = await tokenOf(mine.visitor)
    expect((await mine.visitor.post('/account/social/unlink', { form, account })).statusCode).toBe(303)
    expect(await identitiesOf(theirs.email)).toHaveLength(1)
  })

  test('never takes the last way in, where the tenant sends no mail', async () => {
    const { visitor, email } = await byMail()
    await link(visitor, newLogin())
    const page = (await visitor.get('/account')).body
    const form = {
      form: hiddenOf(page, 'form'),
      account: /name="account" value="([^"]+)"/.exec(page)?.[1] ?? '',
    }
    await setLoginMethods('{}')
    expect(wordsOf((await visitor.get('/account')).body)).toContain('Your only way to sign in')
    const answer = await visitor.post('/account/social/unlink', form)
    expect([answer.statusCode, wordsOf(answer.body)]).toEqual([
      409,
      expect.stringContaining('This account stays linked: without it you could not sign in any more.'),
    ])
    expect(await identitiesOf(email)).toHaveLength(1)
  })

  test('of two at once, where the tenant sends no mail, leaves one', async () => {
    const { visitor, email } = await byMail()
    await link(visitor, newLogin())
    await link(visitor, newLogin(), 'work')
    await setLoginMethods('{}')
    const page = (await visitor.get('/account')).body
    const ids = [...page.matchAll(/name="account" value="([^"]+)"/g)].map(([, id = '']) => id)
    expect(ids).toHaveLength(2)
    const answers = await Promise.all(
      ids.map(account => visitor.post('/account/social/unlink', { form: hiddenOf(page, 'form'), account })),
    )
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([303, 409])
    expect(await identitiesOf(email)).toHaveLength(1)
  })

  test('waits for another change of the accounts, and sees what that one has left', async () => {
    const { visitor, email } = await byMail()
    await link(visitor, newLogin())
    await link(visitor, newLogin(), 'work')
    await setLoginMethods('{}')
    const page = (await visitor.get('/account')).body
    const [first, second = ''] = [...page.matchAll(/name="account" value="([^"]+)"/g)].map(([, id]) => id)
    const { pool } = platform.database
    const other = await pool.connect()
    try {
      await other.query('begin')
      await other.query('delete from member_identities where id = $1', [first])
      const form = { form: hiddenOf(page, 'form'), account: second }
      const unlinking = visitor.post('/account/social/unlink', form)
      const waiting = async () =>
        (
          await pool.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).rowCount
      await expect.poll(waiting).toBe(1)
      await other.query('commit')
      expect((await unlinking).statusCode).toBe(409)
    } finally {
      other.release()
    }
    expect(await identitiesOf(email)).toHaveLength(1)
  })

  test('does not count an account of another issuer than its provider has by now', async () => {
    const { visitor } = await byMail()
    await link(visitor, newLogin())
    await link(visitor, newLogin(), 'work')
    await setLoginMethods('{}')
    const lead = (issuer: string) =>
      platform.database.pool.query(`update social_providers set issuer = $1 where id = 'work'`, [issuer])
    await lead('https://elsewhere.example')
    const words = async () => wordsOf((await visitor.get('/account')).body)
    await expect.poll(words).toContain('Your only way to sign in')
    // Of the two the one that does not sign in any more can go, the other stays.
    expect(await words()).toMatch(/Staff \S+ Your only way to sign in/)
    await lead(provider.issuer)
    await expect.poll(words).not.toContain('Your only way to sign in')
  })

  test('does not count an account whose provider is not offered any more', async () => {
    const { visitor, email } = await byMail()
    await link(visitor, newLogin())
    await link(visitor, newLogin(), 'work')
    const page = (await visitor.get('/account')).body
    const account = /name="account" value="([^"]+)"/.exec(page)?.[1] ?? ''
    await platform.setProvider('work', { enabled: false })
    await setLoginMethods('{}')
    const answer = await visitor.post('/account/social/unlink', { form: hiddenOf(page, 'form'), account })
    await platform.setProvider('work', { enabled: true })
    expect(answer.statusCode).toBe(409)
    expect(await identitiesOf(email)).toHaveLength(2)
  })
})

describe('a tenant that sends no mail', () => {
  test('offers the providers alone, and sends none', async () => {
    await setLoginMethods('{}')
    const visitor = platform.visit()
    const flow = (await platform.begin(visitor)).replace(/\/social$/, '')
    const page = await visitor.get(flow)
    expect(page.body).not.toContain('name="email"')
    expect(wordsOf(page.body)).toContain('Continue with Staff Continue with Work')
    const before = await platform.rows('sign_in_mails')
    const answer = await visitor.post(flow, { email: newAddress() })
    expect([answer.statusCode, await platform.rows('sign_in_mails')]).toEqual([200, before])
  })
})
