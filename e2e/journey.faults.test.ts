import { describe, expect, test } from 'vitest'
import { findProgram, needsProgram } from '../server/src/testing/needs-program.ts'
import { readQueue, waitForEvents } from './read-queue.ts'
import { startPlatform } from './start-platform.ts'
import { startSlowNetwork } from './start-slow-network.ts'
import { has, STORY, startSite, summary, usePublisherSite } from './use-publisher-site.ts'

// Time for a slow machine; most of these take seconds.
const options = { timeout: 90_000 }

describe.skipIf(needsProgram('chromium'))('from a page in a browser to the consumer', options, () => {
  const site = usePublisherSite(findProgram('chromium') ?? '')

  test('a click just before the page is closed arrives, also on a slow network', async () => {
    const network = await startSlowNetwork(800)
    // Its script sends to the address that this platform believes to have.
    const far = await startPlatform({ USHER_PUBLIC_URL: `http://platform.localhost:${network.port}` })
    network.leadTo(far.port)
    const slowSite = startSite(far.tenantUrl.replace(`:${far.port}`, `:${network.port}`))
    try {
      const page = await site.visit.newPage()
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
    const page = await site.visit.newPage()
    await page.goto(site.news + STORY)
    await page.evaluate(() => {
      // While a request is under way, so that this one cannot go with the others.
      document.querySelector<HTMLElement>('[data-share]')?.click()
      addEventListener('pagehide', () => document.querySelector<HTMLElement>('[data-save]')?.click())
    })
    await page.goto('about:blank')
    await waitForEvents(site.platform, has('article_saved'))
    // The next page of the site takes over what the one before cannot know to have arrived.
    await page.goto(`${site.news}/sport`)
    await page.waitForTimeout(14_000)
    const events = await readQueue(site.platform)
    expect(summary(events).sort()).toEqual([
      `article_saved ${STORY}`,
      `article_shared ${STORY}`,
      `page_view ${STORY}`,
      'page_view /sport',
    ])
  })

  test('what is tracked while the platform is down is delivered when it is back, once', async () => {
    const page = await site.visit.newPage()
    await page.goto(site.news + STORY)
    await waitForEvents(site.platform, has('page_view'))
    expect(await site.platform.program().end()).toBe(0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.waitForTimeout(3000)
    await site.platform.startAgain()
    await waitForEvents(site.platform, has('article_shared'))
    await page.waitForTimeout(2000)
    const events = await readQueue(site.platform)
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
    const first = await site.visit.newPage()
    await first.goto(site.news + STORY)
    await waitForEvents(site.platform, has('page_view'))
    await site.visit.setOffline(true)
    for (let n = 0; n < 10; n++) await first.getByRole('button', { name: /^Saved?$/ }).click()
    await first.waitForTimeout(1500)
    await first.close()
    expect(await readQueue(site.platform)).toHaveLength(1)
    await site.visit.setOffline(false)
    const next = await site.visit.newPage()
    await next.goto(`${site.news}/culture`)
    const events = await waitForEvents(site.platform, events => events.length >= 12, { withinMs: 180_000 })
    await next.waitForTimeout(2000)
    expect(await readQueue(site.platform)).toHaveLength(12)
    expect(events.map(event => event.event_sequence).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, n) => n),
    )
    expect(events.filter(({ type }) => type === 'article_saved')).toHaveLength(5)
    expect(events.filter(({ type }) => type === 'article_unsaved')).toHaveLength(5)
  })

  test('a page that is online again sends at once, without being closed', async () => {
    const page = await site.visit.newPage()
    await page.goto(site.news + STORY)
    await waitForEvents(site.platform, has('page_view'))
    await site.visit.setOffline(true)
    await page.getByRole('button', { name: 'Save' }).click()
    // Long enough for the retries to have grown far apart.
    await page.waitForTimeout(9000)
    await site.visit.setOffline(false)
    await waitForEvents(site.platform, has('article_saved'), { withinMs: 2000 })
  })
})
