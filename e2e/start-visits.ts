import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { startBrowser } from './browser.ts'

export interface Visits {
  /** A visitor with storage of their own, who reads English unless told otherwise, and a page for them. */
  open(options?: BrowserContextOptions): Promise<{ context: BrowserContext; page: Page }>
  /** Ends all visits. Gives what their consoles and scripts complained about, policies that were broken among it. */
  end(): Promise<string[]>
  close(): Promise<void>
}

/** Starts a browser for visits. A console's error is a complaint unless it is like `expected`: Chromium counts a page with
 *  status 4xx, as a form that is refused is, as an error of the network. */
export async function startVisits(
  chromium: string,
  { expected = /^Failed to load resource/ }: { expected?: RegExp } = {},
): Promise<Visits> {
  const browser = await startBrowser(chromium)
  let complaints: string[] = []
  return {
    async open(options = {}) {
      const context = await browser.newContext({ locale: 'en', ...options })
      context.on('console', message => {
        if (message.type() === 'error' && !expected.test(message.text())) complaints.push(message.text())
      })
      context.on('weberror', error => void complaints.push(error.error().message))
      return { context, page: await context.newPage() }
    },
    async end() {
      for (const context of browser.contexts()) await context.close()
      const told = complaints
      complaints = []
      return told
    },
    close: () => browser.close(),
  }
}
