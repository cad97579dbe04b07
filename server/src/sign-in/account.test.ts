import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostOf } from '../testing/oauth-platform.ts'
import { createSignInPlatform, newAddress, type SignInPlatform } from '../testing/sign-in-platform.ts'
import { actionsOf, hiddenOf, type Visitor, wordsOf } from '../testing/visitor.ts'

let platform: SignInPlatform
beforeAll(async () => {
  platform = await createSignInPlatform()
})
afterAll(() => platform.close())

const SESSION = '_SERVICET Domain=acme.example'

async function signedIn(email = newAddress(), headers = {}): Promise<{ visitor: Visitor; email: string }> {
  const visitor = platform.visit({ headers })
  const page = await visitor.get('/account')
  const [flow = ''] = actionsOf(page.body)
  const { code } = await platform.askForMail(visitor, flow, email)
  const answer = await visitor.post(`${flow}/code`, { code })
  expect([answer.statusCode, answer.headers.location]).toEqual([303, 'http://members.acme.example/account'])
  return { visitor, email }
}

const isSignedIn = async (cookie: string | undefined): Promise<boolean> => {
  const answer = await platform.request(hostOf(), {
    url: '/api/sdk/member',
    headers: { authorization: `Bearer ${cookie?.split('=')[1]}` },
  })
  return answer.statusCode === 200
}
const sessionsOn = (html: string): string[] =>
  [...html.matchAll(/name="session" value="([^"]+)"/g)].map(([, id = '']) => id)

describe('the account page', () => {
  test('asks whoever is not signed in to sign in, and then shows profile and sessions', async () => {
    const { visitor, email } = await signedIn()
    const page = await visitor.get('/account')
    expect(page.statusCode).toBe(200)
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
    })
    expect(wordsOf(page.body)).toMatch(
      new RegExp(
        `Your account.*${email}.*Member since.*Firefox on Linux This browser.*Last seen now from 198\\.51\\.`,
      ),
    )
  })

  test('ends another session at once, and no other', async () => {
    const first = await signedIn()
    const second = await signedIn(first.email, {
      'user-agent':
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    })
    const page = await first.visitor.get('/account')
    expect(wordsOf(page.body)).toContain('Safari on iPhone')
    const [session = ''] = sessionsOn(page.body)
    const form = hiddenOf(page.body, 'form')
    const answer = await first.visitor.post('/account/sessions/end', { form, session })
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/account?ended'])
    expect(wordsOf((await first.visitor.get('/account?ended')).body)).toContain('The session has ended.')
    expect(await isSignedIn(second.visitor.cookies.get(SESSION))).toBe(false)
    expect(await isSignedIn(first.visitor.cookies.get(SESSION))).toBe(true)
    expect(wordsOf((await second.visitor.get('/account')).body)).toContain('Sign in to Acme Daily')
  })

  test("does not end a session of somebody else's, nor its own", async () => {
    const one = await signedIn()
    const other = await platform.signIn('acme', newAddress())
    const page = await one.visitor.get('/account')
    const form = hiddenOf(page.body, 'form')
    const own = JSON.parse(
      Buffer.from(one.visitor.cookies.get(SESSION)?.split('.')[1] ?? '', 'base64url').toString(),
    ).sid
    for (const session of [other.sessionId, own, 'x', '', "'"]) {
      const answer = await one.visitor.post('/account/sessions/end', { form, session })
      expect([session, answer.statusCode, answer.headers.location]).toEqual([session, 303, '/account'])
    }
    expect(await isSignedIn(other.cookie)).toBe(true)
    expect(await isSignedIn(one.visitor.cookies.get(SESSION))).toBe(true)
  })

  test.for<[string, (own: string, others: string) => string]>([
    ['without its token', () => ''],
    ["with another member's token", (_own, others) => others],
    ['with a token that was changed', own => (own.startsWith('A') ? 'B' : 'A') + own.slice(1)],
  ])('takes no form %s', async ([, tokenOf]) => {
    const [one, other] = [await signedIn(), await signedIn()]
    const tokens = []
    for (const { visitor } of [one, other])
      tokens.push(hiddenOf((await visitor.get('/account')).body, 'form'))
    const form = tokenOf(tokens[0] ?? '', tokens[1] ?? '')
    for (const path of ['/account/sign-out', '/account/sessions/end'])
      expect((await one.visitor.post(path, { form, session: 'x' })).statusCode).toBe(403)
    expect(await isSignedIn(one.visitor.cookies.get(SESSION))).toBe(true)
  })

  test('signs this browser out, for good', async () => {
    const { visitor } = await signedIn()
    const cookie = visitor.cookies.get(SESSION)
    const page = await visitor.get('/account')
    const answer = await visitor.post('/account/sign-out', { form: hiddenOf(page.body, 'form') })
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/signed-out'])
    expect(visitor.cookies.has(SESSION)).toBe(false)
    expect(await isSignedIn(cookie)).toBe(false)
    expect(wordsOf((await visitor.get('/signed-out')).body)).toContain('You are signed out')
    // A cookie that was kept aside is worth nothing.
    if (cookie) visitor.cookies.set(SESSION, cookie)
    expect(wordsOf((await visitor.get('/account')).body)).toContain('Sign in to Acme Daily')
  })

  test('lists the sessions of applications by their names', async () => {
    const { visitor } = await signedIn()
    const page = await visitor.get(
      '/oauth/authorize?client_id=partner&redirect_uri=https%3A%2F%2Fapp.partner.example%2Fcallback&response_type=code',
    )
    const [action = ''] = actionsOf(page.body)
    const answer = await visitor.post(action, { action: 'continue', member: hiddenOf(page.body, 'member') })
    const code = new URL(String(answer.headers.location)).searchParams.get('code') ?? ''
    expect((await platform.exchange(code)).statusCode).toBe(200)
    const account = await visitor.get('/account')
    expect(wordsOf(account.body)).toContain('Application: partner of acme')
    const form = hiddenOf(account.body, 'form')
    const [session = ''] = sessionsOn(account.body)
    await visitor.post('/account/sessions/end', { form, session })
    expect(wordsOf((await visitor.get('/account')).body)).not.toContain('Application:')
  })
})

describe('where pages are served (decisions, "Addresses")', () => {
  const paths = ['/account', '/signed-out', '/sign-in/x', '/sign-in/x/mail', '/sign-in/link/x']
  test.for(paths)('GET %s at an alias leads to the canonical domain, and is 404 elsewhere', async path => {
    for (const host of ['accounts.acme.example', 'acme.platform.localhost']) {
      const answer = await platform.request(host, { url: `${path}?a=1` })
      expect([answer.statusCode, answer.headers.location]).toEqual([
        302,
        `http://members.acme.example${path}?a=1`,
      ])
    }
    for (const host of ['platform.localhost', 'nobody.example'])
      expect((await platform.request(host, { url: path })).statusCode).toBe(404)
  })

  test('POST at an alias is refused', async () => {
    for (const url of [
      '/account/sign-out',
      '/sign-in/x',
      '/sign-in/x/code',
      '/sign-in/x/continue',
      '/sign-in/link/x',
    ])
      expect((await platform.request('accounts.acme.example', { method: 'POST', url })).statusCode).toBe(421)
  })

  test('the mailbox is not there where mail has a server', async () => {
    for (const url of ['/dev/mailbox', '/dev/mailbox.json'])
      expect((await platform.request('platform.localhost', { url })).statusCode).toBe(404)
  })
})
