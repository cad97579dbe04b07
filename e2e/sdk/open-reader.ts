import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { openVisit } from '../browser.ts'
import { readQueue, type Served } from '../read-queue.ts'
import type { RunningPlatform } from '../start-platform.ts'
import type { Fault, Road } from './start-road.ts'
import { until } from './until.ts'

/** What the pages of a test are, and what they are reached by. */
export interface Surroundings {
  browser: Browser
  platform: RunningPlatform
  road: Road
  /** The publisher's site. */
  news: string
}

declare global {
  interface Window {
    usher?: {
      track(name: string, properties?: object): void
      consent(isGiven: boolean): void
      flush(): void
      /** Questions that wait for the sign-in file. */
      p?: unknown
    }
  }
}

let opened = 0

/**
 * A reader with a browser profile of their own, and the ledger of what their pages tracked: at the end the queue must
 * hold that and nothing else, each once.
 */
export async function openReader({ browser, platform, road, news }: Surroundings) {
  const name = `reader-${++opened}`
  // A request of a page that is being left has forgotten what User-Agent its tab was given; its site it has not.
  const host = `${name}.acme.localhost`
  const site = Object.assign(new URL(news), { hostname: host }).origin
  const visit: BrowserContext = await openVisit(browser)
  const ledger: string[] = []
  const pageErrors: string[] = []
  /** What the browser says of its pages, for when something is wrong. */
  const said: string[] = []
  visit.on('console', message => void said.push(message.text()))
  visit.on('requestfailed', request => void said.push(`${request.url()}: ${request.failure()?.errorText}`))
  visit.on('weberror', error => void pageErrors.push(String(error.error())))

  const delivered = async (queue: 'events' | 'heartbeats' = 'events'): Promise<Served[]> =>
    (await readQueue(platform, queue)).filter(event => event.page_hostname === host)

  return {
    site,
    visit,
    ledger,
    pageErrors,
    delivered,
    befall: (fault?: Fault) => road.befall(name, fault),
    sent: () => road.sentBy(name),

    /** Opens a page of the site, which is a view, and waits until its script is there. */
    async open(path = '/', page?: Page): Promise<Page> {
      const opening = page ?? (await visit.newPage())
      await opening.goto(site + path)
      ledger.push(`page_view ${path}`)
      await opening
        .waitForFunction(() => window.usher && !('q' in window.usher))
        .catch(cause => {
          throw new Error(`The script did not start at ${site}${path}: ${said.join('; ') || 'no word'}`, {
            cause,
          })
        })
      return opening
    },

    /** Tracks so many events, each of its own, all at once. */
    async track(page: Page, count = 1): Promise<void> {
      const numbers = Array.from({ length: count }, (_, n) => ledger.length + n)
      for (const number of numbers) ledger.push(`clicked ${number}`)
      await page.evaluate(all => {
        for (const number of all) window.usher?.track('clicked', { number })
      }, numbers)
    },

    /** Waits until all of the ledger is in the queue, and nothing is under way any more; then compares. */
    async expectEven(withinMs = 60_000): Promise<void> {
      await until(
        `${ledger.length} events of ${name} in the queue`,
        async () => (await delivered()).length >= ledger.length,
        withinMs,
      )
      for (const page of visit.pages().filter(page => page.url().startsWith('http')))
        await until('nothing that waits', async () => (await page.evaluate(countWaiting)) === 0, withinMs)
      const events = await delivered()
      expect(events.map(labelOf).sort()).toEqual([...ledger].sort())
      expect(new Set(events.map(({ id }) => id)).size).toBe(ledger.length)
      expect(pageErrors).toEqual([])
    },

    [Symbol.asyncDispose]: () => visit.close(),
  }
}

export type Reader = Awaited<ReturnType<typeof openReader>>

function labelOf({ type, page_path, properties }: Served): string {
  return type === 'page_view'
    ? `page_view ${page_path}`
    : `${type} ${(properties as { number?: number } | undefined)?.number}`
}

/** In the page: how many pages of the site have something that waits. */
function countWaiting(): number {
  try {
    return Object.keys(localStorage).filter(key => key.startsWith('usher:events:')).length
  } catch {
    return 0
  }
}
