import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callback, hostOf, issuerOf } from '../testing/oauth-platform.ts'
import {
  arrivedAt,
  authorizePath,
  createSignInPlatform,
  guards,
  newAddress,
  pageGuards,
  type SignInPlatform,
  sessionCookie,
} from '../testing/sign-in-platform.ts'
import { actionsOf, hiddenOf, wordsOf } from '../testing/visitor.ts'

let platform: SignInPlatform
beforeAll(async () => {
  platform = await createSignInPlatform()
})
afterAll(() => platform.close())

describe('a partner signs a member in (interface 4.6)', () => {
  test('by the link, in the browser that asked', async () => {
    const email = newAddress()
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { link } = await platform.askForMail(visitor, flow, email)
    const page = await visitor.get(link)
    expect(page.statusCode).toBe(200)
    expect(page.headers).toMatchObject(pageGuards)
    expect(wordsOf(page.body)).toContain(email)
    expect(await platform.whoIs(visitor)).toBeUndefined()

    const answer = await visitor.post(actionsOf(page.body)[0] ?? '')
    const { to, code = '', ...rest } = arrivedAt(answer)
    expect({ to, ...rest }).toEqual({ to: callback, state: 'st&te=1', iss: issuerOf() })
    expect(answer.headers).toMatchObject(guards)
    expect(answer.body).toBe('')
    const exchanged = await platform.exchange(code)
    expect([exchanged.statusCode, Object.keys(exchanged.json()).toSorted()]).toEqual([
      200,
      ['access_token', 'expires_in', 'token_type'],
    ])
    expect(await platform.whoIs(visitor)).toBe(email)
  })

  test('by the code, typed as people type', async () => {
    const email = newAddress()
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code } = await platform.askForMail(visitor, flow, email)
    const answer = await visitor.post(`${flow}/code`, { code: ` ${code.slice(0, 3)} ${code.slice(3)}` })
    expect(arrivedAt(answer)).toMatchObject({ to: callback, code: expect.stringMatching(/^[\w-]{64}$/) })
    expect(await platform.whoIs(visitor)).toBe(email)
    expect([answer.headers['set-cookie']].flat()).toEqual([
      expect.stringMatching(/^_SERVICET=; Path=\/; .*Max-Age=0; SameSite=Lax$/),
      expect.stringMatching(
        /^_SERVICET=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; Domain=acme.example; Max-Age=2592000; SameSite=Lax$/,
      ),
    ])
  })

  test('keeps what the client asked for unchanged on the way through the mail', async () => {
    const visitor = platform.visit()
    const verifier = 'v'.repeat(43)
    const { createHash } = await import('node:crypto')
    const flow = await platform.begin(visitor, {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: '"ü&=😀',
    })
    const { code } = await platform.askForMail(visitor, flow, newAddress())
    const arrived = arrivedAt(await visitor.post(`${flow}/code`, { code }))
    expect(arrived.state).toBe('"ü&=😀')
    expect((await platform.exchange(arrived.code ?? '')).json()).toMatchObject({ error: 'invalid_grant' })
    expect((await platform.exchange(arrived.code ?? '', { code_verifier: verifier })).statusCode).toBe(200)
  })

  test('by continue-as, as the member who is signed in', async () => {
    const email = newAddress()
    const visitor = platform.visit()
    const first = await platform.begin(visitor)
    const { code } = await platform.askForMail(visitor, first, email)
    await visitor.post(`${first}/code`, { code })
    const token = visitor.cookies.get(sessionCookie)

    const page = await visitor.get(authorizePath())
    expect(wordsOf(page.body)).toMatch(
      new RegExp(`to continue to partner of acme.*${email}.*Use another account`),
    )
    const [action = ''] = actionsOf(page.body)
    const member = hiddenOf(page.body, 'member')
    expect(arrivedAt(await visitor.post(action, { action: 'continue', member }))).toMatchObject({
      to: callback,
    })
    expect(visitor.cookies.get(sessionCookie)).toBe(token)
    // A flow is used once.
    expect((await visitor.post(action, { action: 'continue', member })).statusCode).toBe(410)
  })

  test('as another account, which signs the former out on this browser', async () => {
    const [one, other] = [newAddress(), newAddress()]
    const visitor = platform.visit()
    const first = await platform.begin(visitor)
    await visitor.post(`${first}/code`, { code: (await platform.askForMail(visitor, first, one)).code })
    const former = visitor.cookies.get(sessionCookie)?.split('=')[1]

    const page = await visitor.get(authorizePath())
    const answer = await visitor.post(actionsOf(page.body)[0] ?? '', { action: 'other' })
    const flow = String(answer.headers.location)
    expect([answer.statusCode, wordsOf((await visitor.get(flow)).body)]).toEqual([
      303,
      expect.stringContaining('Sign in to Acme Daily'),
    ])
    const { code } = await platform.askForMail(visitor, flow, other)
    expect(arrivedAt(await visitor.post(`${flow}/code`, { code }))).toMatchObject({ to: callback })
    expect(await platform.whoIs(visitor)).toBe(other)
    const old = await platform.request(hostOf(), {
      url: '/api/sdk/member',
      headers: { authorization: `Bearer ${former}` },
    })
    expect(old.statusCode).toBe(401)
  })

  test.for(['login', 'select_account'])(
    'with prompt=%s asks again, and continuing is not enough',
    async prompt => {
      const visitor = platform.visit()
      const { cookie, memberId } = await platform.signIn('acme', newAddress())
      visitor.cookies.set(sessionCookie, cookie)
      const page = await visitor.get(authorizePath({ prompt, login_hint: 'hint@example.com' }))
      expect(page.body).toContain('value="hint@example.com"')
      const [flow = ''] = actionsOf(page.body)
      const answer = await visitor.post(`${flow}/continue`, { action: 'continue', member: memberId })
      expect([answer.statusCode, answer.headers.location]).toEqual([303, flow])
    },
  )

  test('shows continue-as again when somebody else is signed in by now', async () => {
    const visitor = platform.visit()
    const [one, other] = [
      await platform.signIn('acme', newAddress()),
      await platform.signIn('acme', newAddress()),
    ]
    visitor.cookies.set(sessionCookie, one.cookie)
    const page = await visitor.get(authorizePath())
    visitor.cookies.set(sessionCookie, other.cookie)
    const answer = await visitor.post(actionsOf(page.body)[0] ?? '', {
      action: 'continue',
      member: one.memberId,
    })
    expect([answer.statusCode, hiddenOf(answer.body, 'member')]).toEqual([200, other.memberId])
  })

  test('always as a new session, whatever session the browser brought', async () => {
    const email = newAddress()
    const planted = await platform.signIn('acme', email)
    const visitor = platform.visit()
    visitor.cookies.set(sessionCookie, planted.cookie)
    const flow = await platform.begin(visitor, { prompt: 'login' })
    await visitor.post(`${flow}/code`, { code: (await platform.askForMail(visitor, flow, email)).code })
    const sid = (cookie: string | undefined) =>
      JSON.parse(Buffer.from(cookie?.split('.')[1] ?? '', 'base64url').toString()).sid
    expect(sid(visitor.cookies.get(sessionCookie))).not.toBe(planted.sessionId)
  })

  test('tells the client nothing when it was disabled meanwhile, and leaves no session behind', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor, {
      client_id: 'strict',
      redirect_uri: 'https://strict.example/callback',
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
    })
    const { code } = await platform.askForMail(visitor, flow, newAddress())
    const enable = (enabled: boolean) =>
      sql`update oauth_clients set enabled = ${enabled} where client_id = 'strict'`.execute(
        platform.database.db,
      )
    await enable(false)
    const before = await platform.rows('member_sessions')
    const answer = await visitor.post(`${flow}/code`, { code })
    await enable(true)
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined])
    expect(answer.body).toContain('The client was disabled')
    expect(await platform.rows('member_sessions')).toBe(before)
    // The code is as good as it was.
    expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(303)
  })
})
