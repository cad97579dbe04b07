import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findProgram, needsProgram } from '../server/src/testing/needs-program.ts'
import { emptyQueue, readQueue, waitForEvents } from './read-queue.ts'
import { STORY, summary, usePublisherSite } from './use-publisher-site.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

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
  const site = usePublisherSite(findProgram('chromium') ?? '')

  test('what a reader does is read, with every field of 2.4, and removed', async () => {
    const page = await site.visit.newPage()
    const requests = await watchRequests(page)
    const startMs = Date.now()
    await page.goto(site.news)
    await page.getByRole('link', { name: 'The last ferry home will run all night' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Sport' }).click()
    await page.getByRole('link', { name: 'Table' }).click()
    await page.getByRole('columnheader', { name: 'Team' }).waitFor()
    await page.goBack()
    await page.getByText('Round 3').waitFor()

    const events = await waitForEvents(site.platform, events => events.length >= 6)
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
      url: `${site.news}/`,
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

    const removal = await site.platform.call('DELETE', `/api/platform/events?count=6&first_id=${first?.id}`, {
      'idempotency-key': 'journey',
    })
    expect(removal).toMatchObject({ status: 204, body: '' })
    expect(await readQueue(site.platform)).toEqual([])
  })

  test('a preflight would have been seen', async () => {
    const page = await site.visit.newPage()
    const requests = await watchRequests(page)
    await page.goto(site.news)
    await page.evaluate(
      url => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }),
      `${site.platform.tenantUrl}/api/sdk/events`,
    )
    expect(requests.filter(({ method }) => method === 'OPTIONS')).toHaveLength(1)
  })

  test('two tabs are one session, and number its events together', async () => {
    const one = await site.visit.newPage()
    await one.goto(site.news)
    const other = await site.visit.newPage()
    await other.goto(site.news + STORY)
    await one.getByRole('link', { name: 'Culture' }).first().click()
    const events = await waitForEvents(site.platform, events => events.length >= 3)
    expect(new Set(events.map(event => event.session_id)).size).toBe(1)
    expect(events.map(event => event.event_sequence).sort()).toEqual([0, 1, 2])
  })

  test('a page that is restored when the reader goes back is a view again', async () => {
    await site.visit.addInitScript(() => {
      addEventListener('pageshow', event => console.log(`restored: ${event.persisted}`))
    })
    const page = await site.visit.newPage()
    await page.goto(site.news)
    await page.getByRole('link', { name: 'Culture' }).first().click()
    await page.waitForURL('**/culture')
    const restored = page.waitForEvent('console', {
      predicate: message => message.text() === 'restored: true',
    })
    await page.evaluate(() => history.back())
    await restored
    const events = await waitForEvents(site.platform, events => events.length >= 3)
    expect(events.map(({ event_sequence, page_path }) => `${event_sequence} ${page_path}`)).toEqual([
      '0 /',
      '1 /culture',
      '2 /',
    ])
  })

  test('a page that is rendered ahead is counted when it is shown, before what it tracked meanwhile', async () => {
    await site.visit.addInitScript(() => {
      Object.defineProperty(document, 'prerendering', { value: true, configurable: true })
    })
    const page = await site.visit.newPage()
    await page.goto(`${site.news}/sport`)
    await page.getByRole('textbox').fill('reader@example.com')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.waitForTimeout(1500)
    expect(await readQueue(site.platform)).toEqual([])
    await page.evaluate(() => {
      Object.defineProperty(document, 'prerendering', { value: false })
      document.dispatchEvent(new Event('prerenderingchange'))
    })
    const events = await waitForEvents(site.platform, events => events.length >= 2)
    expect(summary(events)).toEqual(['page_view /sport', 'newsletter_signed_up /sport'])
  })

  test('a page whose storage is forbidden is counted all the same', async () => {
    await site.visit.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get: () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError')
        },
      })
    })
    const page = await site.visit.newPage()
    await page.goto(`${site.news}/sport`)
    await page.getByRole('link', { name: 'Fixtures' }).click()
    const events = await waitForEvents(site.platform, events => events.length >= 2)
    expect(summary(events)).toEqual(['page_view /sport', 'page_view /sport/fixtures'])
    expect(new Set(events.map(event => event.session_id)).size).toBe(1)
  })

  test('a page that is looked at for a minute sends two heartbeats, to their own queue', async () => {
    await emptyQueue(site.platform, 'heartbeats')
    const page = await site.visit.newPage()
    await page.clock.install()
    await page.goto(site.news)
    await page.clock.runFor(61_000)
    const beats = await waitForEvents(site.platform, events => events.length >= 2, { queue: 'heartbeats' })
    expect(beats.map(({ type, event_sequence, seconds }) => [type, event_sequence, seconds])).toEqual([
      ['heartbeat', 0, 30],
      ['heartbeat', 1, 30],
    ])
    expect(summary(await readQueue(site.platform))).toEqual(['page_view /'])
  })
})
