import type { BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SignIn } from '../../sdk/src/sign-in/api.ts'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { type Silent, startSilent } from './start-silent.ts'

declare global {
  interface Window {
    messages?: unknown[]
  }
}

describe.skipIf(needsProgram('chromium'))('the check of the doctor’s live page', { timeout: 90_000 }, () => {
  let silent: Silent
  let visit: BrowserContext
  beforeAll(async () => {
    silent = await startSilent(findProgram('chromium') ?? '')
  })
  afterAll(() => silent?.close())
  beforeEach(async () => {
    visit = await silent.openVisit()
  })
  afterEach(() => visit.close())

  /** A page of an origin opens one of the site's for the check: the address of what was opened, and what was told. */
  async function openCheck(origin: string, address: string) {
    await visit.route(`${origin}/opener`, route =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><link rel="icon" href="data:,">' }),
    )
    const opener = await visit.newPage()
    await opener.goto(`${origin}/opener`)
    await opener.evaluate(() => {
      window.messages = []
      window.addEventListener('message', ({ data }) => window.messages?.push(data))
    })
    const opens = visit.waitForEvent('page')
    const asks = visit.waitForEvent('response', response => response.url().includes('/oauth/session?'))
    // Not every test waits for it.
    asks.catch(() => {})
    await opener.evaluate(url => void window.open(url), address)
    return { page: await opens, asks, told: () => opener.evaluate(() => window.messages) }
  }

  test.for([
    [false, 'unauthenticated'],
    [true, 'authenticated'],
  ] as const)('tells the tenant’s page (signed in: %s) %s', async ([isSignedIn, outcome]) => {
    if (isSignedIn) await silent.signIn(visit)
    const { told } = await openCheck(silent.tenantUrl, `${silent.news}/#usher-check=pages`)
    await expect
      .poll(told)
      .toEqual([{ type: 'usher-check', clientId: 'pages', outcome, hasCookie: isSignedIn }])
  })

  test('tells the tenant’s page that an origin is not registered', async () => {
    await silent.signIn(visit)
    const { told } = await openCheck(silent.tenantUrl, `${silent.other}/#usher-check=pages`)
    await expect
      .poll(told)
      .toEqual([{ type: 'usher-check', clientId: 'pages', outcome: 'failed', hasCookie: true }])
  })

  test('tells nobody else', async () => {
    await silent.signIn(visit)
    const { told, asks, page } = await openCheck(silent.other, `${silent.news}/#usher-check=pages`)
    expect((await asks).status()).toBe(200)
    // Another answer, and a message that may be heard, come after what the check had to say.
    await page.evaluate(async () => {
      await (window.usher as unknown as SignIn).silentSignIn({ clientId: 'pages' })
      window.opener.postMessage('last', '*')
    })
    await expect.poll(told).toEqual(['last'])
  })
})
