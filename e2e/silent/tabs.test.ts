import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SignIn } from '../../sdk/src/sign-in/api.ts'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { ask, type Silent, startSilent } from './start-silent.ts'

declare global {
  interface Window {
    /** What the page was told by `usher:member`. */
    told?: boolean[]
  }
}

const member = (page: Page) => page.evaluate(() => (window.usher as unknown as SignIn).member())
const signOut = (page: Page) => page.evaluate(() => (window.usher as unknown as SignIn).signOut())
const told = (page: Page) => page.evaluate(() => window.told)

describe.skipIf(needsProgram('chromium'))('several tabs of a browser', { timeout: 90_000 }, () => {
  let silent: Silent
  let visit: BrowserContext
  beforeAll(async () => {
    silent = await startSilent(findProgram('chromium') ?? '')
  })
  afterAll(() => silent?.close())
  beforeEach(async () => {
    visit = await silent.openVisit()
    await visit.addInitScript(() => {
      window.told = []
      window.addEventListener('usher:member', ({ detail }) => window.told?.push(detail.isSignedIn))
    })
  })
  afterEach(() => visit.close())

  async function open(origin = silent.news): Promise<Page> {
    const page = await visit.newPage()
    await page.goto(origin)
    await page.waitForFunction(() => window.usher && !Array.isArray(window.usher.p))
    return page
  }

  test('are told when somebody signs in or out in one of them, whatever the site', async () => {
    const [one, other] = [await open(), await open(silent.other)]
    const email = await silent.signIn(visit)
    await expect.poll(() => told(one)).toEqual([true])
    await expect.poll(() => told(other)).toEqual([true])
    expect(await member(one)).toMatchObject({ email, name: null })
    expect(await signOut(other)).toBe(true)
    await expect.poll(() => told(one)).toEqual([true, false])
    await expect.poll(() => told(other)).toEqual([true, false])
    expect([await member(one), await member(other)]).toEqual([null, null])
    expect(await ask(one)).toEqual({ status: 'unauthenticated' })
    expect((await visit.cookies()).filter(({ name }) => name === '_SERVICET')).toEqual([])
  })

  test('are told by each other where the browser does not tell of cookies', async () => {
    await visit.addInitScript(() => {
      Object.defineProperty(window, 'cookieStore', { value: undefined })
    })
    await silent.signIn(visit)
    const [one, other] = [await open(), await open()]
    expect(await signOut(one)).toBe(true)
    await expect.poll(() => told(other)).toEqual([false])
  })

  test('find out when the reader is back, and from the back/forward cache', async () => {
    await visit.addInitScript(() => {
      Object.defineProperty(window, 'cookieStore', { value: undefined })
      window.addEventListener('pageshow', ({ persisted }) => persisted && console.log('restored'))
    })
    const page = await open()
    await silent.signIn(visit)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    expect(await told(page)).toEqual([true])
    const restored = page.waitForEvent('console', message => message.text() === 'restored')
    await page.goto(`${silent.news}/next`)
    await page.waitForFunction(() => window.usher && !Array.isArray(window.usher.p))
    await signOut(page)
    await page.evaluate(() => history.back())
    await restored
    await expect.poll(() => told(page)).toEqual([true, false])
  })

  test('forget the cookie in both scopes, also where the server does not answer', async () => {
    await silent.signIn(visit)
    const page = await open()
    await page.evaluate(() => {
      // biome-ignore lint/suspicious/noDocumentCookie: as a page would plant it.
      document.cookie = '_SERVICET=planted; Path=/'
    })
    await visit.route('**/api/sdk/sign-out', route => route.abort())
    expect(await signOut(page)).toBe(false)
    expect(await page.evaluate(() => document.cookie)).toBe('')
  })
})
