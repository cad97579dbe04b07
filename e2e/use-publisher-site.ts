import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { openVisit, startBrowser } from './browser.ts'
import { emptyQueue, type Served } from './read-queue.ts'
import { type RunningPlatform, startPlatform } from './start-platform.ts'
import { type Program, startProgram } from './start-program.ts'

/** The path of an article of the publisher's. */
export const STORY = '/city/the-last-ferry-home'

export const summary = (events: Served[]) => events.map(({ type, page_path }) => `${type} ${page_path}`)
export const has = (type: string) => (events: Served[]) => events.some(event => event.type === type)

/** The publisher's site with the script of that tenant's domain, at any port. */
export function startSite(tenantUrl: string): Program {
  return startProgram('examples/publisher-site/main.ts', { SITE_PORT: '0', USHER_TENANT_URL: tenantUrl })
}

/** A platform, the publisher's site and a browser for the tests of this describe, each of which has a visit of its own and
 *  finds the queue empty. `chromium` is the browser's path. */
export function usePublisherSite(chromium: string) {
  let platform: RunningPlatform
  let site: Program
  let news: string
  let browser: Browser
  let visit: BrowserContext

  beforeAll(async () => {
    platform = await startPlatform()
    site = startSite(platform.tenantUrl)
    news = (await site.line(/http:\S+/))[0]
    browser = await startBrowser(chromium)
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

  return {
    /** There once the tests run, as are the following. */
    get platform() {
      return platform
    },
    /** The site's address. */
    get news() {
      return news
    },
    get visit() {
      return visit
    },
  }
}
