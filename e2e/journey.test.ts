import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findProgram, needsProgram } from '../server/src/testing/needs-program.ts'
import { openVisit, startBrowser } from './browser.ts'
import { emptyQueue, readQueue, type Served, waitForEvents } from './read-queue.ts'
import { type RunningPlatform, startPlatform } from './start-platform.ts'
import { type Program, startProgram } from './start-program.ts'
import { startSlowNetwork } from './start-slow-network.ts'

const STORY = '/city/the-last-ferry-home'
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const summary = (events: Served[]) => events.map(({ type, page_path }) => `${type} ${page_path}`)
const has = (type: string) => (events: Served[]) => events.some(event => event.type === type)

/** The publisher's site with the script of that tenant's domain, at any port. */
function startSite(tenantUrl: string): Program {
  return startProgram('examples/publisher-site/main.ts', { SITE_PORT: '0', USHER_TENANT_URL: tenantUrl })
}

/** Every request that the page makes, as the network sees it: preflights too. */
async function watchRequests(page: Page): Promise<{ method: string; url: string }[]> {
  const requests: { method: string; url: string }[] = []
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  devtools.on(
    'Network.requestWillBeSent',
    ({ request: { method, url } }) => void requests.push({ method, url }),
  )
  return requests
}

// Time for a slow machine; most of these take seconds.
const options = { timeout: 90_000 }

describe.skipIf(needsProgram('chromium'))('from a page in a browser to the consumer', options, () => {
  let platform: RunningPlatform
  let site: Program
  let news: string
  let browser: Browser
  let visit: BrowserContext

  beforeAll(async () => {
    platform = await startPlatform()
    site = startSite(platform.tenantUrl)
    news = (await site.line(/http:\S+/))[0]
    browser = await startBrowser(findProgram('chromium') ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await site?.end()
    await platform?.close()
  })
  beforeEach(async () => {
    await emptyQueue(platform)
    visit = await openVisit(browser)
  })
  afterEach(() => visit.close())

  test('what a reader does is read, with every field of 2.4, and removed', async () => {
    const page = await visit.newPage()
    const requests = await watchRequests(page)
    const startMs = Date.now()
    await page.goto(news)
    await page.getByRole('link', { name: 'The last ferry home will run all night' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Sport' }).click()
    await page.getByRole('link', { name: 'Table' }).click()
    await page.getByRole('columnheader', { name: 'Team' }).waitFor()
    await page.goBack()
    await page.getByText('Round 3').waitFor()

    const events = await waitForEvents(platform, events => events.length >= 6)
    expect(summary(events).sort()).toEqual(
      [
        'page_view /',
        `page_view ${STORY}`,
        `article_saved ${STORY}`,
        'page_view /sport',
        'page_view /sport/table',
        'page_view /sport',
      ].sort(),
    )
    // The order of acceptance is the reader's, but for what a page being left sends beside the next one.
    expect(events.map(event => event.event_sequence).sort()).toEqual([0, 1, 2, 3, 4, 5])
    expect(new Set(events.map(event => event.id)).size).toBe(6)
    expect(new Set(events.map(event => event.session_id)).size).toBe(1)

    const saved = events.find(({ type }) => type === 'article_saved')
    expect(saved?.properties).toEqual({ slug: 'the-last-ferry-home' })
    const [first] = events
    expect(first).toEqual({
      id: expect.stringMatching(UUID_V7),
      type: 'page_view',
      session_id: expect.stringMatching(UUID_V7),
      audience_member_id: null,
      url: `${news}/`,
      page_hostname: 'news.acme.localhost',
      page_path: '/',
      user_agent: await page.evaluate(() => navigator.userAgent),
      ip_address: '127.0.0.1',
      event_sequence: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
    })
    const createdAtMs = Date.parse(String(first?.created_at))
    expect(createdAtMs).toBeGreaterThanOrEqual(startMs)
    expect(createdAtMs).toBeLessThanOrEqual(Date.now())

    expect(requests.filter(({ url }) => url.endsWith('/api/sdk/events')).length).toBeGreaterThan(0)
    expect(requests.filter(({ method }) => method === 'OPTIONS')).toEqual([])

    const removal = await platform.call('DELETE', `/api/platform/events?count=6&first_id=${first?.id}`, {
      'idempotency-key': 'journey',
    })
    expect(removal).toMatchObject({ status: 204, body: '' })
    expect(await readQueue(platform)).toEqual([])
  })

  test('a preflight would have been seen', async () => {
    const page = await visit.newPage()
    const requests = await watchRequests(page)
    await page.goto(news)
    await page.evaluate(
      url => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }),
      `${platform.tenantUrl}/api/sdk/events`,
    )
    expect(requests.filter(({ method }) => method === 'OPTIONS')).toHaveLength(1)
  })

  test('a click just before the page is closed arrives, also on a slow network', async () => {
    const network = await startSlowNetwork(800)
    // Its script sends to the address that this platform believes to have.
    const far = await startPlatform({ USHER_PUBLIC_URL: `http://platform.localhost:${network.port}` })
    network.leadTo(far.port)
    const slowSite = startSite(far.tenantUrl.replace(`:${far.port}`, `:${network.port}`))
    try {
      const page = await visit.newPage()
      await page.goto((await slowSite.line(/http:\S+/))[0] + STORY)
      await waitForEvents(far, has('page_view'))
      await page.getByRole('button', { name: 'Save' }).click()
      await page.close()
      await waitForEvents(far, has('article_saved'))
    } finally {
      await slowSite.end()
      await network.close()
      await far.close()
    }
  })

  test('a click in the moment of leaving arrives, once', async () => {
    const page = await visit.newPage()
    await page.goto(news + STORY)
    await page.evaluate(() => {
      // While a request is under way, so that this one cannot go with the others.
      document.querySelector<HTMLElement>('[data-share]')?.click()
      addEventListener('pagehide', () => document.querySelector<HTMLElement>('[data-save]')?.click())
    })
    await page.goto('about:blank')
    await waitForEvents(platform, has('article_saved'))
    // The next page of the site takes over what the one before cannot know to have arrived.
    await page.goto(`${news}/sport`)
    await page.waitForTimeout(14_000)
    const events = await readQueue(platform)
    expect(summary(events).sort()).toEqual([
      `article_saved ${STORY}`,
      `article_shared ${STORY}`,
      `page_view ${STORY}`,
      'page_view /sport',
    ])
  })

  test('what is tracked while the platform is down is delivered when it is back, once', async () => {
    const page = await visit.newPage()
    await page.goto(news + STORY)
    await waitForEvents(platform, has('page_view'))
    expect(await platform.program().end()).toBe(0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.waitForTimeout(3000)
    await platform.startAgain()
    await waitForEvents(platform, has('article_shared'))
    await page.waitForTimeout(2000)
    const events = await readQueue(platform)
    expect(events.map(({ type, event_sequence }) => `${event_sequence} ${type}`)).toEqual([
      '0 page_view',
      '1 article_saved',
      '2 article_shared',
    ])
  })

  // Where the machine is too busy to let the closing page say that it goes, its lease has to run out first.
  test('what is tracked offline is sent by the next page, when the first is closed', {
    timeout: 240_000,
  }, async () => {
    const first = await visit.newPage()
    await first.goto(news + STORY)
    await waitForEvents(platform, has('page_view'))
    await visit.setOffline(true)
    for (let n = 0; n < 10; n++) await first.getByRole('button', { name: /^Saved?$/ }).click()
    await first.waitForTimeout(1500)
    await first.close()
    expect(await readQueue(platform)).toHaveLength(1)
    await visit.setOffline(false)
    const next = await visit.newPage()
    await next.goto(`${news}/culture`)
    const events = await waitForEvents(platform, events => events.length >= 12, { withinMs: 180_000 })
    await next.waitForTimeout(2000)
    expect(await readQueue(platform)).toHaveLength(12)
    expect(events.map(event => event.event_sequence).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, n) => n),
    )
    expect(events.filter(({ type }) => type === 'article_saved')).toHaveLength(5)
    expect(events.filter(({ type }) => type === 'article_unsaved')).toHaveLength(5)
  })

  test('a page that is online again sends at once, without being closed', async () => {
    const page = await visit.newPage()
    await page.goto(news + STORY)
    await waitForEvents(platform, has('page_view'))
    await visit.setOffline(true)
    await page.getByRole('button', { name: 'Save' }).click()
    // Long enough for the retries to have grown far apart.
    await page.waitForTimeout(9000)
    await visit.setOffline(false)
    await waitForEvents(platform, has('article_saved'), { withinMs: 2000 })
  })

  test('two tabs are one session, and number its events together', async () => {
    const one = await visit.newPage()
    await one.goto(news)
    const other = await visit.newPage()
    await other.goto(news + STORY)
    await one.getByRole('link', { name: 'Culture' }).first().click()
    const events = await waitForEvents(platform, events => events.length >= 3)
    expect(new Set(events.map(event => event.session_id)).size).toBe(1)
    expect(events.map(event => event.event_sequence).sort()).toEqual([0, 1, 2])
  })

  test('a page that is restored when the reader goes back is a view again', async () => {
    await visit.addInitScript(() => {
      addEventListener('pageshow', event => console.log(`restored: ${event.persisted}`))
    })
    const page = await visit.newPage()
    await page.goto(news)
    await page.getByRole('link', { name: 'Culture' }).first().click()
    await page.waitForURL('**/culture')
    const restored = page.waitForEvent('console', {
      predicate: message => message.text() === 'restored: true',
    })
    await page.evaluate(() => history.back())
    await restored
    const events = await waitForEvents(platform, events => events.length >= 3)
    expect(events.map(({ event_sequence, page_path }) => `${event_sequence} ${page_path}`)).toEqual([
      '0 /',
      '1 /culture',
      '2 /',
    ])
  })

  test('a page that is rendered ahead is counted when it is shown, before what it tracked meanwhile', async () => {
    await visit.addInitScript(() => {
      Object.defineProperty(document, 'prerendering', { value: true, configurable: true })
    })
    const page = await visit.newPage()
    await page.goto(`${news}/sport`)
    await page.getByRole('textbox').fill('reader@example.com')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.waitForTimeout(1500)
    expect(await readQueue(platform)).toEqual([])
    await page.evaluate(() => {
      Object.defineProperty(document, 'prerendering', { value: false })
      document.dispatchEvent(new Event('prerenderingchange'))
    })
    const events = await waitForEvents(platform, events => events.length >= 2)
    expect(summary(events)).toEqual(['page_view /sport', 'newsletter_signed_up /sport'])
  })

  test('a page whose storage is forbidden is counted all the same', async () => {
    await visit.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get: () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError')
        },
      })
    })
    const page = await visit.newPage()
    await page.goto(`${news}/sport`)
    await page.getByRole('link', { name: 'Fixtures' }).click()
    const events = await waitForEvents(platform, events => events.length >= 2)
    expect(summary(events)).toEqual(['page_view /sport', 'page_view /sport/fixtures'])
    expect(new Set(events.map(event => event.session_id)).size).toBe(1)
  })

  test('a page that is looked at for a minute sends two heartbeats, to their own queue', async () => {
    await emptyQueue(platform, 'heartbeats')
    const page = await visit.newPage()
    await page.clock.install()
    await page.goto(news)
    await page.clock.runFor(61_000)
    const beats = await waitForEvents(platform, events => events.length >= 2, { queue: 'heartbeats' })
    expect(beats.map(({ type, event_sequence, seconds }) => [type, event_sequence, seconds])).toEqual([
      ['heartbeat', 0, 30],
      ['heartbeat', 1, 30],
    ])
    expect(summary(await readQueue(platform))).toEqual(['page_view /'])
  })
})
