import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { examinePage, looks } from '../examine-page.ts'
import { startVisits, type Visits } from '../start-visits.ts'
import { type DoctorSurroundings, type Slug, startDoctor } from './start-doctor.ts'

let count = 0

describe.skipIf(needsProgram('chromium'))('the silent sign-in doctor, in a real browser', () => {
  let around: DoctorSurroundings
  let visits: Visits

  beforeAll(async () => {
    around = await startDoctor()
    // A probe that is refused is what is looked at here.
    visits = await startVisits(findProgram('chromium') ?? '', {
      expected: /CORS policy|^Failed to load resource/,
    })
  }, 60_000)
  afterEach(async () => {
    expect(await visits.end()).toEqual([])
  })
  afterAll(async () => {
    await visits?.close()
    await around?.close()
  })

  const visit = (options?: BrowserContextOptions) => visits.open(options)
  async function signIn(page: Page, slug: Slug): Promise<string> {
    const email = `reader-${++count}@example.com`
    await page.goto(`${around.tenantOrigin(slug)}/account`)
    await page.getByLabel('Mail address').fill(email)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Six-digit code').fill((await around.letterTo(email)).code)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    return email
  }
  /** Opens the site from a page of the live check. */
  async function openSite(page: Page): Promise<Page> {
    const opening = page.waitForEvent('popup')
    await page.getByRole('button', { name: /^Open http.* and check$/ }).click()
    return opening
  }
  const answerOf = async (page: Page, heading: string) => {
    await page.locator('#answer').getByRole('heading', { name: heading }).waitFor()
    return (await page.locator('#answer').innerText()).replaceAll(/\s+/g, ' ')
  }
  const YES = 'The site knows that you are signed in'
  const NO = 'The site was told that nobody is signed in'
  const NOTHING = 'The site got no answer'

  describe('says what the browser then does', () => {
    test.for<[string, { slug: Slug; client: string; host: string }, string[], string, string]>([
      [
        'a set-up that works',
        { slug: 'acme', client: 'partner', host: 'news.acme.localhost' },
        [],
        YES,
        'without a click',
      ],
      [
        'a blank Cookie Domain',
        { slug: 'blank', client: 'partner', host: 'news.blank.localhost' },
        ['cookie_domain_blank'],
        NO,
        'The checks above say why',
      ],
      [
        'an origin that is not registered',
        { slug: 'acme', client: 'unlisted', host: 'news.acme.localhost' },
        ['origin_port_differs', 'origin_of_other_client'],
        NOTHING,
        'The checks above say why',
      ],
      [
        'another site, registered',
        { slug: 'acme', client: 'partner', host: 'news.globe.localhost' },
        ['not_same_site'],
        NO,
        'The checks above say why',
      ],
      [
        'a disabled client',
        { slug: 'acme', client: 'off', host: 'news.acme.localhost' },
        ['client_disabled'],
        NOTHING,
        'The checks above say why',
      ],
    ])('%s', { timeout: 60_000 }, async ([, { slug, client, host }, codes, heading, words]) => {
      const { page } = await visit()
      const email = await signIn(page, slug)
      const {
        exitCode,
        works,
        codes: found,
        liveCheck,
      } = await around.diagnose(slug, client, around.sites.originOf(host))
      expect([found, works, exitCode]).toEqual([codes, codes.length === 0, codes.length === 0 ? 0 : 1])
      await page.goto(liveCheck)
      for (const code of codes) await page.getByText(code, { exact: true }).waitFor()
      await page.getByText(`: ${email} is signed in here.`).waitFor()
      const site = await openSite(page)
      const answer = await answerOf(page, heading)
      expect(answer).toContain(words)
      // The verdict and the browser agree.
      expect(heading === YES).toBe(works)
      // The site learns nothing of the ticket.
      expect(await site.evaluate(() => document.referrer)).toBe('')
      expect(await site.evaluate(() => location.hash)).toBe(`#usher-check=${client}`)
    })

    test('a Cookie Domain that does not cover the site: Chromium lets the probe answer, and the SDK knows nobody', async () => {
      const { page } = await visit()
      await signIn(page, 'narrow')
      const news = around.sites.originOf('news.narrow.localhost')
      const { works, codes, liveCheck } = await around.diagnose('narrow', 'partner', news)
      expect([works, codes]).toEqual([false, ['cookie_domain_not_covering']])
      await page.goto(liveCheck)
      const site = await openSite(page)
      const answer = await answerOf(page, YES)
      expect(answer).toContain('answered all the same')
      expect(answer).toContain('The session cookie cannot be seen on the site')
      expect(await site.evaluate('usher.member()')).toBe(null)
    })

    test('and once a member has signed out, the same site is told that nobody is signed in', async () => {
      const { page } = await visit()
      await signIn(page, 'acme')
      const news = around.sites.originOf('news.acme.localhost')
      const { liveCheck } = await around.diagnose('acme', 'partner', news)
      await page.goto(`${around.tenantOrigin('acme')}/account`)
      await page.getByRole('button', { name: 'Sign out of this browser' }).click()
      await page.goto(liveCheck)
      await page.getByText('This browser sent no session cookie').waitFor()
      await openSite(page)
      expect(await answerOf(page, NO)).toContain('That is right: this browser is not signed in here either.')
    })
  })

  describe('the live check', () => {
    let liveCheck: (path?: string) => Promise<string>
    beforeAll(() => {
      liveCheck = async (path = '') => {
        const site = around.sites.originOf('news.acme.localhost') + path
        return (await around.diagnose('acme', 'partner', site)).liveCheck
      }
    })

    test('says so when the page does not answer, and is closed', async () => {
      const { page } = await visit()
      await page.goto(await liveCheck('/silent'))
      const site = await openSite(page)
      await page.getByText('Waiting for the site to answer').waitFor()
      await site.close()
      const answer = await answerOf(page, 'The page did not say anything')
      expect(answer).toContain('the sign-in file of the SDK is not on http://news.acme.localhost')
      await page.getByText('/oauth/session?client_id=partner').waitFor()
    })

    test('says so when the page cuts itself off', async () => {
      const { page } = await visit()
      await page.goto(await liveCheck('/apart'))
      await openSite(page)
      expect(await answerOf(page, 'The page did not say anything')).toContain('Cross-Origin-Opener-Policy')
    })

    test('says so when the page takes longer than it waits, and still takes its answer then', async () => {
      const { page } = await visit()
      await page.clock.install()
      await page.goto(await liveCheck('/silent'))
      const site = await openSite(page)
      await page.clock.runFor(3_000)
      expect(await page.locator('#answer').innerText()).toBe('Waiting for the site to answer…')
      await page.clock.runFor(2_000)
      const hint = await page.getByText('Is the sign-in file of the SDK on that page').elementHandle()
      await page.clock.runFor(5_000)
      // Told once: a screen reader would begin anew each time.
      expect(await hint?.evaluate(shown => shown.isConnected)).toBe(true)
      await page.clock.runFor(6_000)
      await answerOf(page, 'The page did not say anything')
      const tenant = around.tenantOrigin('acme')
      await site.evaluate(target => {
        const told = { type: 'usher-check', clientId: 'partner', outcome: 'authenticated', hasCookie: true }
        window.opener.postMessage(told, target)
      }, tenant)
      await answerOf(page, YES)
    })

    test('says so when no window may be opened', async () => {
      const { context, page } = await visit()
      await context.addInitScript(() => {
        window.open = () => null
      })
      await page.goto(await liveCheck())
      await page.getByRole('button', { name: /and check$/ }).click()
      expect(await answerOf(page, 'The browser did not open the window')).toContain('Allow pop-ups')
    })

    test('tells of the limit', async () => {
      const { page } = await visit()
      await page.goto(await liveCheck('/limited'))
      await openSite(page)
      expect(await answerOf(page, 'Too many probes')).toContain('429')
    })

    test('believes the window that it opened, at the site, about the client and in known words alone', async () => {
      const { page } = await visit()
      for (const path of ['/other-client', '/other-word', '/other-type']) {
        await page.goto(await liveCheck(path))
        const site = await openSite(page)
        await site.waitForLoadState()
        const forged = { type: 'usher-check', clientId: 'partner', outcome: 'authenticated', hasCookie: true }
        // From this window itself.
        await page.evaluate(told => window.postMessage(told, '*'), forged)
        // From another window at the site.
        const opening = page.waitForEvent('popup')
        await page.evaluate(address => void window.open(address), site.url())
        const stranger = await opening
        await stranger.evaluate(told => window.opener.postMessage(told, '*'), forged)
        // From the opened one, at another origin.
        await site.goto(`${around.sites.originOf('evil.acme.localhost')}/silent`)
        await site.evaluate(told => window.opener?.postMessage(told, '*'), forged)
        await site.close()
        await answerOf(page, 'The page did not say anything')
      }
    })

    test('shows what is known without JavaScript', async () => {
      const { page } = await visit({ javaScriptEnabled: false })
      await page.goto(await liveCheck())
      await page.getByText('Silent sign-in can work on http://news.acme.localhost').waitFor()
      // Texts are not looked for in there.
      expect(await page.locator('noscript p').isVisible()).toBe(true)
      await page.getByText('/oauth/session?client_id=partner').waitFor()
      expect(await page.getByRole('button').count()).toBe(0)
    })

    test('is in no frame of another origin', async () => {
      const { page } = await visit()
      const address = await liveCheck()
      await page.goto(`${around.sites.originOf('news.acme.localhost')}/silent`)
      await page.evaluate(src => {
        const frame = document.createElement('iframe')
        frame.src = src
        document.body.append(frame)
      }, address)
      await expect
        .poll(() => page.frames()[1]?.url(), { timeout: 10_000 })
        .toBe('chrome-error://chromewebdata/')
      for (const told of await visits.end()) expect(told).toContain('frame-ancestors')
    })

    test.for(looks)('has nothing for axe to find: %s', { timeout: 60_000 }, async ([, look]) => {
      const { page } = await visit(look)
      await page.goto(await liveCheck())
      await examinePage(page)
      await openSite(page)
      await answerOf(page, NO)
      await examinePage(page)
      const { liveCheck: wrong } = await around.diagnose(
        'blank',
        'partnr',
        `${around.sites.originOf('news.acme.localhost')}/articles/a-page-with-quite-a-long-address-that-does-not-fit`,
      )
      await page.goto(wrong)
      await examinePage(page)
      await page.goto(wrong.slice(0, -4))
      await page.getByRole('heading', { name: 'There is no such check' }).waitFor()
      await examinePage(page)
    })
  })
})
