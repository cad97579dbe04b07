import { describe, expect, test } from 'vitest'
import { newAddress, sessionCookie } from '../../testing/sign-in-platform.ts'
import { callbackOf, pathOf } from '../../testing/social/social-platform.ts'
import { changed, told, useTwoProviders } from '../../testing/social/use-two-providers.ts'
import { actionsOf } from '../../testing/visitor.ts'

const shared = useTwoProviders()

describe('an answer that does not belong here (RFC 9700 4.4, 4.5, 4.7)', () => {
  test.for([
    ['another state', { state: 'x'.repeat(43) }],
    ['no state', { state: null }],
  ] as const)('with %s is for no flow of this browser', async ([, change]) => {
    const { visitor, back } = await shared.aboutToReturn()
    const before = shared.exchanges(shared.provider)
    const answer = await shared.bring(visitor, changed(back, change))
    expect([answer.statusCode, shared.exchanges(shared.provider)]).toEqual([404, before])
    expect((await shared.bring(visitor, back)).statusCode).toBe(303)
  })

  test('in another browser signs nobody in, there or here', async () => {
    const { visitor, back } = await shared.aboutToReturn()
    const before = shared.exchanges(shared.provider)
    for (const victim of [shared.platform.visit(), (await shared.aboutToReturn('other')).visitor]) {
      const answer = await shared.bring(victim, back)
      expect([answer.statusCode, victim.cookies.has(sessionCookie)]).toEqual([404, false])
    }
    expect(shared.exchanges(shared.provider)).toBe(before)
    // And it is not used up by it.
    expect((await shared.bring(visitor, back)).statusCode).toBe(303)
  })

  test('twice counts once, and says where to begin anew', async () => {
    const { visitor, flow, back } = await shared.aboutToReturn()
    const answers = await Promise.all([
      shared.bring(visitor, back),
      shared.bring(visitor, back),
      shared.bring(visitor, back),
    ])
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([303, 410, 410])
    expect((await shared.bring(visitor, back)).body).toContain(`href="${flow}/again"`)
  })

  test('too late is over', async () => {
    const { visitor, back } = await shared.aboutToReturn()
    await shared.platform.database.pool.query(`update social_attempts set expires_at = now()`)
    expect((await shared.bring(visitor, back)).statusCode).toBe(410)
  })

  test('to a flow that was finished in another way meanwhile is over, and its code is not sent', async () => {
    const { visitor, flow, back } = await shared.aboutToReturn()
    const { code } = await shared.platform.askForMail(visitor, flow, newAddress())
    expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(303)
    const [session, before] = [visitor.cookies.get(sessionCookie), shared.exchanges(shared.provider)]
    expect((await shared.bring(visitor, back)).statusCode).toBe(410)
    expect([visitor.cookies.get(sessionCookie), shared.exchanges(shared.provider)]).toEqual([session, before])
  })

  test('of a provider that the tenant has turned off meanwhile signs nobody in', async () => {
    const { visitor, back } = await shared.aboutToReturn()
    const before = shared.exchanges(shared.provider)
    await shared.platform.setProvider('staff', { enabled: false })
    expect((await shared.bring(visitor, back)).statusCode).toBe(410)
    expect([visitor.cookies.has(sessionCookie), shared.exchanges(shared.provider)]).toEqual([false, before])
    const flow = (await shared.platform.begin(visitor)).replace(/\/social$/, '')
    const asked = await visitor.post(`${flow}/social`, { provider: 'staff' })
    expect([asked.statusCode, asked.body.includes('value="staff"')]).toEqual([200, false])
    await shared.platform.setProvider('staff', { enabled: true })
  })

  test('of a provider that has another issuer by now is refused, and its code is not sent there', async () => {
    const returning = await shared.aboutToReturn()
    const { platform, provider, other } = shared
    await platform.setProvider('staff', { issuer: other.issuer })
    const before = [shared.exchanges(provider), shared.exchanges(other)]
    const answer = await shared.bring(returning.visitor, returning.back)
    expect([shared.exchanges(provider), shared.exchanges(other)]).toEqual(before)
    await platform.setProvider('staff', { issuer: provider.issuer })
    await shared.expectTold(returning, answer, told.faulty)
  })

  test("of one provider at another's address is refused, and no code is sent there", async () => {
    const { visitor, back } = await shared.aboutToReturn()
    const mixed = new URL(back)
    mixed.pathname = new URL(callbackOf('other')).pathname
    const before = [shared.exchanges(shared.provider), shared.exchanges(shared.other)]
    expect((await shared.bring(visitor, mixed)).statusCode).toBe(410)
    expect([shared.exchanges(shared.provider), shared.exchanges(shared.other)]).toEqual(before)
  })

  test('that says to come from another issuer is refused, and its code is not sent', async () => {
    const returning = await shared.aboutToReturn()
    const before = shared.exchanges(shared.provider)
    const answer = await shared.bring(
      returning.visitor,
      changed(returning.back, { iss: shared.other.issuer }),
    )
    expect(shared.exchanges(shared.provider)).toBe(before)
    await shared.expectTold(returning, answer, told.faulty)
  })

  test('that does not say where it comes from, though its provider does so, is refused', async () => {
    const returning = await shared.aboutToReturn()
    const answer = await shared.bring(returning.visitor, changed(returning.back, { iss: null }))
    await shared.expectTold(returning, answer, told.faulty)
  })

  test('with the code of a stranger is refused: the provider has another challenge for it', async () => {
    const [mine, strangers] = [await shared.aboutToReturn(), await shared.aboutToReturn()]
    const code = strangers.back.searchParams.get('code') ?? ''
    await shared.expectTold(mine, await shared.bring(mine.visitor, changed(mine.back, { code })), told.faulty)
  })

  test.for([
    ['two codes', (query: string) => `${query}&code=x`],
    ['no code', (query: string) => query.replace(/code=[^&]*&?/, '')],
  ] as const)('with %s is refused', async ([, change]) => {
    const { visitor, flow, back } = await shared.aboutToReturn()
    const answer = await visitor.get(back.pathname + change(back.search))
    await shared.expectTold({ visitor, flow }, answer, told.faulty)
  })

  test('at a provider that the tenant does not have is nobody’s', async () => {
    const answer = await shared.platform.visit().get('/sign-in/social/nobody/callback?state=x&code=y')
    expect(answer.statusCode).toBe(404)
  })

  test('at another tenant is nobody’s', async () => {
    const { visitor, back } = await shared.aboutToReturn()
    // Also where the same browser goes there, which no browser does with a cookie of one host.
    const strayed = shared.platform.visit({ slug: 'globe' })
    for (const [name, cookie] of visitor.cookies) strayed.cookies.set(name, cookie)
    for (const one of [shared.platform.visit({ slug: 'globe' }), strayed])
      expect((await one.get(pathOf(back))).statusCode).toBe(404)
    expect((await shared.bring(visitor, back)).statusCode).toBe(303)
  })
})

describe('accounts of one name at two providers', () => {
  test('are two people (OpenID Connect Core 5.7)', async () => {
    const { platform, other } = shared
    const one = await shared.aboutToReturn('staff')
    await shared.bring(one.visitor, one.back)
    const stranger = newAddress()
    const two = await shared.aboutToReturn('other')
    other.tamper({ claims: token => ({ ...token, email: stranger }) })
    expect((await shared.bring(two.visitor, two.back)).statusCode).toBe(303)
    expect(await platform.whoIs(two.visitor)).toBe(stranger)
    const members = [await platform.whoIs(one.visitor), await platform.whoIs(two.visitor)]
    const identities = await platform.identities()
    expect(members.map(email => identities[email ?? ''])).toEqual([
      [expect.stringMatching(/^staff /)],
      [`other ${stranger}`],
    ])
  })
})

describe('after the provider, a page', () => {
  test('is in the language that the client wishes, as before (OpenID Connect Core 3.1.2.1)', async () => {
    const asked = { ui_locales: 'de' }
    const { visitor, back } = await shared.aboutToReturn('staff', asked)
    const denied = await shared.bring(visitor, changed(back, { code: null, error: 'access_denied' }))
    expect([denied.statusCode, denied.body]).toEqual([403, expect.stringContaining('<html lang="de">')])
    const over = await shared.bring(visitor, back)
    expect([over.statusCode, over.body]).toEqual([410, expect.stringContaining('<html lang="de">')])
    const unverified = await shared.aboutToReturn('other', asked)
    shared.other.tamper({ claims: token => ({ ...token, sub: 'stranger', email_verified: false }) })
    const nobody = await shared.bring(unverified.visitor, unverified.back)
    expect([nobody.statusCode, nobody.body]).toEqual([403, expect.stringContaining('<html lang="de">')])
  })

  test('that answers another browser is in the language of that one', async () => {
    const { back } = await shared.aboutToReturn('staff', { ui_locales: 'de' })
    const stranger = await shared.bring(shared.platform.visit(), back)
    expect([stranger.statusCode, stranger.body]).toEqual([404, expect.stringContaining('<html lang="en">')])
  })
})

describe('what is asked of the provider', () => {
  test('has a state, a nonce and an S256 challenge, all new each time', async () => {
    const visitor = shared.platform.visit()
    const flow = await shared.platform.begin(visitor)
    const [one, two] = [
      new URL(await shared.platform.press(visitor, flow, 'staff')),
      new URL(await shared.platform.press(visitor, flow, 'staff')),
    ]
    const { state, nonce, code_challenge: challenge, ...rest } = Object.fromEntries(one.searchParams)
    expect(one.origin).toBe(shared.provider.issuer)
    expect(rest).toEqual({
      client_id: 'usher',
      response_type: 'code',
      redirect_uri: callbackOf('staff'),
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    })
    for (const [name, value] of Object.entries({ state, nonce, code_challenge: challenge })) {
      expect([name, value]).toEqual([name, expect.stringMatching(/^[\w-]{43}$/)])
      expect([name, two.searchParams.get(name)]).not.toEqual([name, value])
    }
  })

  test('is kept sealed, and of the state a hash', async () => {
    const visitor = shared.platform.visit()
    const flow = await shared.platform.begin(visitor)
    const { searchParams } = new URL(await shared.platform.press(visitor, flow, 'staff'))
    const { rows } = await shared.platform.database.pool.query('select a::text from social_attempts a')
    const stored = JSON.stringify(rows)
    for (const name of ['state', 'nonce']) expect(stored).not.toContain(searchParams.get(name))
  })

  test('is not asked by a form of another site', async () => {
    const visitor = shared.platform.visit()
    const flow = await shared.platform.begin(visitor)
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    expect((await visitor.post(`${flow}/social`, { provider: 'staff' }, foreign)).statusCode).toBe(403)
  })

  test('is not asked where the tenant does not offer it', async () => {
    const visitor = shared.platform.visit()
    const flow = await shared.platform.begin(visitor)
    const answer = await visitor.post(`${flow}/social`, { provider: 'nobody' })
    expect([answer.statusCode, actionsOf(answer.body)]).toEqual([200, [flow, `${flow}/social`]])
  })
})
