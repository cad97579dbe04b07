import { createLocalJWKSet, jwtVerify } from 'jose'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '../../examples/localhost-names.mjs'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { openVisit, startBrowser } from '../browser.ts'
import { type PartnerJourney, startPartnerJourney } from './start-partner-app.ts'

let count = 0
const newAddress = () => `reader-${++count}@example.com`

describe.skipIf(needsProgram('chromium'))('the partner’s application, in a real browser', () => {
  let journey: PartnerJourney
  let browser: Browser
  let visit: BrowserContext
  let page: Page
  /** What consoles and scripts complained about, policies that were broken among it. */
  const errors: string[] = []

  beforeAll(async () => {
    journey = await startPartnerJourney()
    browser = await startBrowser(findProgram('chromium') ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await journey?.close()
  })
  beforeEach(async () => {
    visit = await openVisit(browser)
    visit.on('console', message => {
      if (message.type() === 'error') errors.push(message.text())
    })
    page = await visit.newPage()
  })
  afterEach(async () => {
    await visit.close()
    expect(errors.splice(0)).toEqual([])
  })

  async function askForMail(email: string): Promise<void> {
    await page.goto(journey.origin)
    await page.getByRole('link', { name: 'Sign in with Acme Daily' }).click()
    await page.getByText('to continue to Saltern Pictures').waitFor()
    await page.getByLabel('Mail address').fill(email)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Six-digit code').waitFor()
  }
  async function typeCode(code: string): Promise<void> {
    await page.getByLabel('Six-digit code').fill(code)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  async function signIn(email: string): Promise<void> {
    await askForMail(email)
    await typeCode((await journey.letterTo(email)).code)
    await isTicketOf(page, email)
  }
  /** The application's page says that the browser is signed in, at an address without code and state. */
  async function isTicketOf(at: Page, email: string): Promise<void> {
    await at.waitForURL(`${journey.origin}/`)
    expect(await at.locator('[data-email]').textContent()).toBe(email)
  }
  const tokenOnPage = async () => (await page.locator('.token').textContent()) ?? ''

  test('signs a member in by the link, in the same browser', async () => {
    const email = newAddress()
    await askForMail(email)
    const fromMail = await visit.newPage()
    await fromMail.goto((await journey.letterTo(email)).link)
    await fromMail.getByRole('button', { name: 'Sign in' }).click()
    await isTicketOf(fromMail, email)
  })

  test('signs a member in from the preview of a mail in the mailbox', async () => {
    const email = newAddress()
    await askForMail(email)
    await journey.letterTo(email)
    const mailbox = await visit.newPage()
    await mailbox.goto(`http://platform.localhost:${journey.platform.port}/dev/mailbox`)
    await mailbox.getByText('As mail programs show it').first().click()
    const opened = visit.waitForEvent('page')
    await mailbox.frameLocator('iframe').first().getByRole('link', { name: 'Sign in' }).click()
    const fromMail = await opened
    await fromMail.getByText(email).waitFor()
    await fromMail.getByRole('button', { name: 'Sign in' }).click()
    await isTicketOf(fromMail, email)
  })

  test('signs a member in by the code, and shows a token that the published keys verify, and the API’s answer', async () => {
    const email = newAddress()
    await signIn(email)

    const issuer = journey.platform.tenantUrl
    const keys = await (await fetch(`${issuer}/.well-known/jwks.json`)).json()
    const { payload, protectedHeader } = await jwtVerify(await tokenOnPage(), createLocalJWKSet(keys))
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) })
    expect(payload).toEqual({
      iss: issuer,
      sub: expect.any(String),
      aud: [issuer, 'saltern'],
      azp: 'saltern',
      client_id: 'saltern',
      sid: expect.any(String),
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
    })
    const shown = Object.fromEntries(
      await page
        .locator('tbody tr')
        .evaluateAll(rows =>
          rows.map(row => [row.querySelector('th')?.textContent, row.querySelector('td')?.textContent]),
        ),
    )
    await page.getByRole('heading', { name: 'The access token that Acme Daily gave us' }).waitFor()
    expect(await page.locator('tbody td:last-child:empty').count()).toBe(0)
    expect(shown).toMatchObject({ iss: issuer, sub: payload.sub, aud: `${issuer}, saltern`, azp: 'saltern' })
    expect(JSON.parse((await page.locator('[data-answer]').textContent()) ?? '')).toEqual({
      data: { id: payload.sub, email, name: null, created_at: expect.any(String) },
    })
  })

  test('signs out: the token is given back, and the browser stays signed in at the publisher', async () => {
    const email = newAddress()
    await signIn(email)
    const token = await tokenOnPage()
    const ask = () =>
      fetch(`${journey.platform.tenantUrl}/api/sdk/member`, {
        headers: { authorization: `Bearer ${token}` },
      })
    expect((await ask()).status).toBe(200)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('status').getByText('You are signed out').waitFor()
    expect((await ask()).status).toBe(401)

    await page.getByRole('link', { name: 'Sign in with Acme Daily' }).click()
    await page.getByRole('button', { name: 'Continue as' }).click()
    await isTicketOf(page, email)
    expect(await tokenOnPage()).not.toBe(token)
  })

  test('signs another account in', async () => {
    const [one, other] = [newAddress(), newAddress()]
    await signIn(one)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('link', { name: 'Sign in with Acme Daily' }).click()
    await page.getByRole('button', { name: 'Use another account' }).click()
    await page.getByLabel('Mail address').fill(other)
    await page.getByRole('button', { name: 'Continue' }).click()
    await typeCode((await journey.letterTo(other)).code)
    await isTicketOf(page, other)
  })

  test('notices that the member ended its session on the account page', async () => {
    await signIn(newAddress())
    const account = await visit.newPage()
    await account.goto(`${journey.platform.tenantUrl}/account`)
    await account.getByRole('button', { name: /^End the session: .*Saltern Pictures/ }).click()
    await account.getByText('The session has ended').waitFor()
    await page.reload()
    await page.getByRole('status').getByText('has ended').waitFor()
    await page.getByRole('link', { name: 'Sign in with Acme Daily' }).waitFor()
  })

  test('takes no answer that was not asked for in this browser, and none twice', async () => {
    await page.goto(`${journey.origin}/sign-in`)
    const stolen = await visit.request.get(`${journey.origin}/callback?code=x&state=of-somebody-else`)
    expect(stolen.status()).toBe(400)
    expect(await stolen.text()).toContain('The sign-in could not be completed.')

    const requests: string[] = []
    visit.on('request', request => void requests.push(request.url()))
    await signIn(newAddress())
    const callback = requests.find(url => url.startsWith(`${journey.origin}/callback?`)) ?? ''
    const again = await visit.request.get(callback)
    expect(again.status()).toBe(400)
    expect(await again.text()).toContain('This sign-in was not begun in this browser, or it is over already.')
    await page.reload()
    await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
  })
})
