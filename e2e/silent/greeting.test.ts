import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '../../examples/localhost-names.mjs'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { acme, applyTenants } from '../apply-tenants.ts'
import { startBrowser } from '../browser.ts'
import { examinePage, looks } from '../examine-page.ts'
import { waitForLetter } from '../partner/read-mailbox.ts'
import { type PartnerApp, startPartnerApp } from '../partner/start-partner-app.ts'
import { type RunningPlatform, startPlatform } from '../start-platform.ts'
import { findPort, type Program, startProgram } from '../start-program.ts'

const site = { id: 'news', secret: 'the-secret-of-the-news-of-32-characters-or-more' }
let count = 0

describe.skipIf(needsProgram('chromium'))('a publisher’s site and a partner’s', { timeout: 90_000 }, () => {
  let platform: RunningPlatform
  let partner: PartnerApp
  let program: Program
  let news: string
  let browser: Browser
  let visit: BrowserContext
  const errors: string[] = []

  beforeAll(async () => {
    platform = await startPlatform()
    const port = await findPort()
    news = `http://news.acme.localhost:${port}`
    const redirectUri = `http://127.0.0.1:${port}/signed-in`
    await applyTenants(platform, [
      {
        ...acme,
        clients: [
          {
            client_id: site.id,
            name: 'Acme Daily',
            client_secret: site.secret,
            redirect_uris: [redirectUri],
            allowed_origins: [news],
          },
        ],
      },
    ])
    program = startProgram('examples/publisher-site/main.ts', {
      SITE_PORT: `${port}`,
      USHER_TENANT_URL: platform.tenantUrl,
      SITE_CLIENT_ID: site.id,
      SITE_CLIENT_SECRET: site.secret,
      SITE_REDIRECT_URI: redirectUri,
    })
    await program.line(/^Acme Daily is at /)
    partner = await startPartnerApp(platform, { LOOK_AGAIN_S: '0' })
    browser = await startBrowser(findProgram('chromium') ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await partner?.app.end()
    await program?.end()
    await platform?.close()
  })
  async function openVisit(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const opened = await browser.newContext({ locale: 'en', ...options })
    opened.on('console', message => void (message.type() === 'error' && errors.push(message.text())))
    opened.on('weberror', error => void errors.push(error.error().message))
    return opened
  }
  beforeEach(async () => {
    visit = await openVisit()
  })
  afterEach(async () => {
    await visit.close()
    expect(errors.splice(0)).toEqual([])
  })

  async function signInAtPartner(): Promise<{ email: string; page: Page }> {
    const email = `greeted-${++count}@example.com`
    const page = await visit.newPage()
    await page.goto(partner.origin)
    await page.getByRole('link', { name: 'Sign in with Acme Daily' }).click()
    await page.getByLabel('Mail address').fill(email)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Six-digit code').fill((await waitForLetter(platform.port, email)).code)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Admit one').waitFor()
    return { email, page }
  }
  async function openNews(path = '/'): Promise<Page> {
    const page = await visit.newPage()
    await page.goto(news + path)
    return page
  }
  const greeted = (page: Page, name: string) => page.getByText(`Good to see you, ${name}`).waitFor()
  const stranger = (page: Page) => page.getByRole('link', { name: 'Sign in', exact: false }).waitFor()

  test('greet a member who signed in at the partner’s, without a click, and know a stranger on both after signing out', async () => {
    await stranger(await openNews())
    const { email, page: ticket } = await signInAtPartner()
    const page = await openNews('/city/the-last-ferry-home')
    await greeted(page, email)
    await page.getByRole('link', { name: 'Culture' }).first().click()
    await greeted(page, email)
    await ticket.reload()
    await ticket.getByText(email).first().waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await stranger(page)
    await page.reload()
    await stranger(page)
    await ticket.reload()
    await ticket.getByText('signed out elsewhere').waitFor()
    await ticket.getByRole('link', { name: 'Sign in with Acme Daily' }).waitFor()
    await ticket.goto(partner.origin)
    await ticket.getByRole('link', { name: 'Sign in with Acme Daily' }).waitFor()
    expect((await visit.cookies()).filter(({ name }) => name === '_SERVICET')).toEqual([])
  })

  test('greet in all windows as soon as somebody signs in in one, and forget in all', async () => {
    const [one, other] = [await openNews(), await openNews('/sport')]
    await stranger(one)
    await stranger(other)
    const { email } = await signInAtPartner()
    await greeted(one, email)
    await greeted(other, email)
    await one.getByRole('button', { name: 'Sign out' }).click()
    await stranger(other)
  })

  test('end the site’s session when the member signs out elsewhere', async () => {
    const { email, page: ticket } = await signInAtPartner()
    const page = await openNews()
    await greeted(page, email)
    await ticket.getByRole('button', { name: 'Sign out of Acme Daily too' }).click()
    await ticket.getByText('You are signed out').waitFor()
    await page.reload()
    await stranger(page)
    const account = await visit.newPage()
    await account.goto(`${platform.tenantUrl}/account`)
    await account.getByLabel('Mail address').waitFor()
  })

  test('leave the browser signed in when only the partner’s session ends', async () => {
    const { email, page: ticket } = await signInAtPartner()
    await ticket.getByRole('button', { name: 'Sign out', exact: true }).click()
    await ticket.getByText('You are signed out').waitFor()
    await greeted(await openNews(), email)
  })

  test('know a stranger where a blocker keeps the sign-in file away', async () => {
    await signInAtPartner()
    const blocked = Promise.withResolvers<void>()
    await visit.route('**/sdk-sign-in.js', async route => {
      await route.abort('blockedbyclient')
      blocked.resolve()
    })
    // However late the site's own script comes, which waits for the other.
    await visit.route('**/site.js', async route => {
      await blocked.promise
      await route.continue()
    })
    const page = await openNews()
    await stranger(page)
    expect(errors.splice(0)).toEqual([expect.stringContaining('ERR_BLOCKED_BY_CLIENT')])
  })

  test('take a code once, from their own pages alone', async () => {
    const { email } = await signInAtPartner()
    const page = await visit.newPage()
    const code = page.waitForRequest(
      request => request.method() === 'POST' && request.url() === `${news}/session`,
    )
    await page.goto(news)
    await greeted(page, email)
    const body = (await code).postData() ?? ''
    const send = (origin: string) => fetch(`${news}/session`, { method: 'POST', body, headers: { origin } })
    expect(await (await send(news)).json()).toEqual({ member: null })
    expect((await send('http://evil.localhost')).status).toBe(403)
  })

  test.for(looks)('are for everybody: %s', async ([, options]) => {
    await visit.close()
    visit = await openVisit(options)
    const { email, page: ticket } = await signInAtPartner()
    const page = await openNews()
    await greeted(page, email)
    for (const shown of [page, ticket]) await examinePage(shown)
    await page.getByRole('button', { name: 'Sign out' }).focus()
    await page.keyboard.press('Enter')
    await stranger(page)
    await examinePage(page)
    const told = () => page.getByRole('status').first().textContent()
    expect(await told()).toBe('You are signed out.')
    // What was told of a sign-out is over with the next sign-in.
    await signInAtPartner()
    await page.bringToFront()
    await expect.poll(told).toBe('')
  })
})
