import type { BrowserContext, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SignIn } from '../../sdk/src/sign-in/api.ts'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { within } from '../within.ts'
import { ask, type Silent, startSilent, watchRequests } from './start-silent.ts'

const PROBE = '/oauth/session'
const authenticated = { status: 'authenticated', code: expect.stringMatching(/^.{64}$/), expiresInS: 30 }

describe.skipIf(needsProgram('chromium'))('silentSignIn, in a real browser', { timeout: 90_000 }, () => {
  let silent: Silent
  let visit: BrowserContext
  /** What consoles complained about. */
  let complaints: string[]
  beforeAll(async () => {
    silent = await startSilent(findProgram('chromium') ?? '')
  })
  afterAll(() => silent?.close())
  beforeEach(async () => {
    complaints = []
    visit = await silent.openVisit()
    visit.on('console', message => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
  })
  afterEach(() => visit.close())

  test('says to a registered origin that nobody is there, without a preflight, and asks once in a minute', async () => {
    const page = await visit.newPage()
    const requests = await watchRequests(page, PROBE)
    await page.goto(silent.news)
    expect(await ask(page)).toEqual({ status: 'unauthenticated' })
    expect(await ask(page)).toEqual({ status: 'unauthenticated' })
    await page.reload()
    expect(await ask(page)).toEqual({ status: 'unauthenticated' })
    expect([requests, complaints]).toEqual([['GET'], []])
  })

  test('gives a registered origin a code of the member whose cookie is on the parent domain', async () => {
    const page = await visit.newPage()
    await page.goto(silent.news)
    expect(await ask(page)).toEqual({ status: 'unauthenticated' })
    const email = await silent.signIn(visit)
    const answer = await ask(page)
    expect(answer).toEqual(authenticated)
    const [redirect_uri = ''] = silent.redirectUris
    expect(await silent.exchange(answer.code ?? '', { redirect_uri })).toMatchObject({ email })
    expect(await silent.exchange(answer.code ?? '', { redirect_uri })).toBe('invalid_grant')
    expect(complaints).toEqual([])
  })

  test('fails for an origin that is not registered as any CORS request does', async () => {
    await silent.signIn(visit)
    const page = await visit.newPage()
    await page.goto(silent.other)
    expect(await ask(page)).toEqual({ status: 'unknown', reason: 'failed' })
    expect(complaints.join()).toMatch(/blocked by CORS policy/)
  })

  test('finds nobody where the cookie is the exact host’s', async () => {
    await silent.signIn(visit, silent.gazetteUrl)
    const page = await visit.newPage()
    await page.goto(`${silent.gazette}/?tenant=${silent.gazetteUrl}`)
    expect(await ask(page)).toEqual({ status: 'unauthenticated' })
    expect(await page.evaluate(() => document.cookie)).toBe('')
  })

  test('asks for the member on the tenant’s own domain, where the probe does not answer', async () => {
    const email = await silent.signIn(visit)
    const page = await visit.newPage()
    const requests = await watchRequests(page, PROBE)
    await visit.route(`${silent.tenantUrl}/own-page`, route =>
      route.fulfill({
        contentType: 'text/html',
        body: '<!doctype html><link rel="icon" href="data:,"><script src="/sdk-sign-in.js"></script>',
      }),
    )
    await page.goto(`${silent.tenantUrl}/own-page`)
    expect(await ask(page)).toMatchObject({ status: 'authenticated', member: { email } })
    await page.evaluate(() => (window.usher as unknown as SignIn).signOut())
    expect(await ask(page)).toEqual({ status: 'unauthenticated' })
    expect(requests).toEqual([])
  })

  test('gives up after its time, and asks no faster than the server allows', async () => {
    const page = await visit.newPage()
    await page.goto(silent.news)
    await visit.route(`**${PROBE}?*`, () => new Promise(() => {}), { times: 1 })
    const slow = await page.evaluate(() =>
      (window.usher as unknown as SignIn).silentSignIn({ clientId: 'pages', timeoutMs: 100 }),
    )
    expect(slow).toEqual({ status: 'unknown', reason: 'timeout' })
    const headers = {
      'access-control-allow-origin': silent.news,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'Retry-After',
      'retry-after': '30',
    }
    await visit.route(`**${PROBE}?*`, route => route.fulfill({ status: 429, headers }), { times: 1 })
    expect(await ask(page)).toEqual({ status: 'unknown', reason: 'limited' })
    const other = await visit.newPage()
    const requests = await watchRequests(other, PROBE)
    await other.goto(silent.news)
    expect(await ask(other)).toEqual({ status: 'unknown', reason: 'limited' })
    expect(requests).toEqual([])
  })

  test.for<[string, (route: Route) => Promise<void>]>([
    ['blocked', route => route.abort('blockedbyclient')],
    ['away with the network', route => route.abort('internetdisconnected')],
    ['an empty one', route => route.fulfill({ contentType: 'text/javascript', body: '' })],
    [
      'a page of somebody else’s',
      route => route.fulfill({ contentType: 'text/html', body: '<p>Log in first' }),
    ],
  ])('and all others are answered where the file is %s, asked before and after', async ([, spoil]) => {
    const page = await visit.newPage()
    const arrives = Promise.withResolvers<void>()
    await page.route('**/sdk-sign-in.js', async route => {
      await arrives.promise
      await spoil(route)
    })
    await page.goto(silent.news, { waitUntil: 'commit' })
    await page.waitForFunction(() => window.usher)
    const askAll = () =>
      within(
        20_000,
        'answers of all calls',
        page.evaluate(() => {
          const { usher } = window as unknown as { usher: SignIn }
          const redirectUri = `${location.origin}/back`
          return Promise.all([
            usher.silentSignIn({ clientId: 'pages' }),
            usher.signIn({ clientId: 'pages', redirectUri }),
            usher.completeSignIn(),
            usher.member(),
            usher.signOut(),
          ])
        }),
      )
    const [silently, refused] = [
      { status: 'unknown', reason: 'failed' },
      { status: 'refused', reason: 'failed' },
    ]
    const answers = [silently, refused, { status: 'none' }, undefined, false]
    const early = askAll()
    arrives.resolve()
    expect(await early).toEqual(answers)
    expect(await askAll()).toEqual(answers)
    // A page that tries again is answered from then on, and nothing of what was asked is done late.
    await page.unroute('**/sdk-sign-in.js')
    const requests = await watchRequests(page, PROBE)
    await page.addScriptTag({ url: `${silent.tenantUrl}/sdk-sign-in.js` })
    expect(await ask(page)).toEqual({ status: 'unauthenticated' })
    expect([requests, new URL(page.url()).pathname]).toEqual([['GET'], '/'])
  })

  test.for(['', '?both'])(
    'is answered whichever file is there first, and asked before either is, %j',
    async query => {
      for (const slow of ['sdk', 'sdk-sign-in']) {
        const page = await visit.newPage()
        const arrives = Promise.withResolvers<void>()
        await page.route(`**/${slow}.js`, async route => {
          await arrives.promise
          await route.continue()
        })
        await page.goto(`${silent.news}/${query}`, { waitUntil: 'commit' })
        await page.waitForFunction(() => window.usher)
        const early = ask(page)
        if (slow === 'sdk-sign-in' && query) await page.waitForFunction(() => !('q' in (window.usher ?? {})))
        if (slow === 'sdk') expect(await early).toEqual({ status: 'unauthenticated' })
        arrives.resolve()
        expect(await early).toEqual({ status: 'unauthenticated' })
        if (query) await page.waitForFunction(() => !('q' in (window.usher ?? {})))
        expect(await ask(page)).toEqual({ status: 'unauthenticated' })
        const calls = await page.evaluate(() => Object.keys(window.usher ?? {}).sort())
        expect(calls).toEqual(
          expect.arrayContaining(['completeSignIn', 'member', 'signIn', 'signOut', 'track']),
        )
        await page.close()
      }
      expect(complaints).toEqual([])
    },
  )
})
