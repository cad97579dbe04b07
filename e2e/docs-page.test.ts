import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findProgram, needsProgram } from '../server/src/testing/needs-program.ts'
import { startBrowser } from './browser.ts'
import { type RunningPlatform, startPlatform } from './start-platform.ts'

/** What a visitor's browser tells beside the page. */
interface Noticed {
  /** Requests to any other host than the platform; none gets through. */
  outside: string[]
  /** Errors of the console, policies that were broken among them, and of scripts. */
  errors: string[]
}

const desktop = { viewport: { width: 1440, height: 900 } }
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

describe.skipIf(needsProgram('chromium'))('the reference at /docs', () => {
  let platform: RunningPlatform
  let origin: string
  let browser: Browser
  let summaries: string[]

  beforeAll(async () => {
    platform = await startPlatform()
    origin = `http://platform.localhost:${platform.port}`
    browser = await startBrowser(findProgram('chromium') ?? '')
    const { paths } = JSON.parse((await platform.call('GET', '/api/v1/openapi.json')).body)
    summaries = Object.values<Record<string, { summary: string }>>(paths).flatMap(item =>
      Object.values(item).map(({ summary }) => summary),
    )
  })
  afterEach(async () => {
    for (const visit of browser.contexts()) await visit.close()
  })
  afterAll(async () => {
    await browser?.close()
    await platform?.close()
  })

  async function open(path: string, options: BrowserContextOptions): Promise<Noticed & { page: Page }> {
    const visit = await browser.newContext(options)
    const noticed: Noticed = { outside: [], errors: [] }
    await visit.route(
      url => url.origin !== origin,
      async route => {
        noticed.outside.push(route.request().url())
        await route.abort()
      },
    )
    const page = await visit.newPage()
    page.on('console', message => void (message.type() === 'error' && noticed.errors.push(message.text())))
    page.on('pageerror', error => void noticed.errors.push(error.message))
    await page.goto(origin + path)
    await page.getByRole('heading', { name: 'Usher', exact: true }).waitFor()
    return { page, ...noticed }
  }

  /** The table of contents that is seen; on a phone there is a second one for wide screens. */
  const contents = (page: Page) => page.getByRole('complementary').filter({ visible: true })

  /** How light what is behind the text is, from 0 to 255. */
  const lightness = (page: Page) =>
    page.evaluate(() => {
      const [red = 0, green = 0, blue = 0] =
        getComputedStyle(document.body).backgroundColor.match(/\d+/g)?.map(Number) ?? []
      return (red + green + blue) / 3
    })

  test('shows every operation, and asks nobody else', { timeout: 90_000 }, async () => {
    const { page, outside, errors } = await open('/docs', desktop)
    expect(summaries.length).toBeGreaterThan(10)
    for (const summary of summaries) {
      await contents(page).getByText(summary, { exact: true }).click()
      await page.getByRole('heading', { name: summary, exact: true }).waitFor()
    }
    expect({ outside, errors }).toEqual({ outside: [], errors: [] })
  })

  test('is there with a slash at its end too', async () => {
    const { page, outside, errors } = await open('/docs/', desktop)
    await contents(page).getByText('List every tenant on the platform', { exact: true }).waitFor()
    expect({ outside, errors }).toEqual({ outside: [], errors: [] })
  })

  test('sends a request to the platform, and to nobody else', async () => {
    const { page, outside, errors } = await open('/docs', desktop)
    await page.getByPlaceholder('Token').first().fill(platform.consumerKey)
    await page.getByText("The health of the tenant's queues").first().click()
    await page.getByRole('button', { name: /Test Request.*get \/api\/v1\/health/ }).click()
    await page.getByRole('button', { name: /^Send get request/i }).click()
    await page.getByText('200 OK').waitFor()
    expect({ outside, errors }).toEqual({ outside: [], errors: [] })
  })

  test('finds operations', async () => {
    const { page, outside, errors } = await open('/docs', desktop)
    await page
      .getByRole('button', { name: /Search/ })
      .first()
      .click()
    await page.keyboard.type('heartbeats')
    await page
      .getByRole('option', { name: /Remove heartbeats from the front/ })
      .first()
      .waitFor()
    expect({ outside, errors }).toEqual({ outside: [], errors: [] })
  })

  test('fits a phone', async () => {
    const { page, outside, errors } = await open('/docs', phone)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    await page.getByRole('button', { name: 'Open Menu' }).click()
    await contents(page).getByText('Record events of a page', { exact: true }).click()
    await page.getByRole('heading', { name: 'Record events of a page' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    expect({ outside, errors }).toEqual({ outside: [], errors: [] })
  })

  test('is light or dark as the system is', async () => {
    const { page } = await open('/docs', { ...desktop, colorScheme: 'dark' })
    expect(await lightness(page)).toBeLessThan(64)
    const { page: light } = await open('/docs', { ...desktop, colorScheme: 'light' })
    expect(await lightness(light)).toBeGreaterThan(192)
  })

  test('could not ask another host if it wanted to', async () => {
    const { page } = await open('/docs', desktop)
    const violated = await page.evaluate(async () => {
      const directives: string[] = []
      const allRefused = new Promise<void>(resolve =>
        document.addEventListener('securitypolicyviolation', event => {
          if (directives.push(event.effectiveDirective) === 5) resolve()
        }),
      )
      await fetch('https://elsewhere.example/').catch(() => {})
      for (const [tag, attribute] of [
        ['script', 'src'],
        ['img', 'src'],
        ['iframe', 'src'],
      ] as const) {
        const element = document.createElement(tag)
        element.setAttribute(attribute, 'https://elsewhere.example/')
        document.body.append(element)
      }
      const inline = document.createElement('script')
      inline.textContent = 'document.title = "broken into"'
      document.body.append(inline)
      await allRefused
      return directives.sort()
    })
    // The script from elsewhere, and the one in the page.
    expect(violated).toEqual(['connect-src', 'frame-src', 'img-src', 'script-src-elem', 'script-src-elem'])
    expect(await page.title()).not.toBe('broken into')
  })
})
