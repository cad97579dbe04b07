import { type Browser, type BrowserContext, chromium } from 'playwright-core'

/** Starts Chromium without what it does on its own account, such as looking for updates. */
export function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    // Less than a hook waits.
    timeout: 45_000,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    // As readers' browsers have it.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })
}

/** A visitor with storage of their own, who does not say to be a headless browser: those are marked as bots. */
export function openVisit(browser: Browser): Promise<BrowserContext> {
  const major = browser.version().split('.')[0]
  return browser.newContext({
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`,
  })
}
