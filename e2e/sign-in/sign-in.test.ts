import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../server/src/testing/database.ts'
import { type ArrivedMail, type MailServer, startMailServer } from '../../server/src/testing/mail-server.ts'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { examinePage, looks } from '../examine-page.ts'
import { startVisits, type Visits } from '../start-visits.ts'
import { type SignInJourney, startSignIn } from './start-sign-in.ts'

let count = 0
const newAddress = () => `reader-${++count}@example.com`

describe.skipIf(needsProgram('chromium'))('a partner signs a member in, in a real browser', () => {
  let journey: SignInJourney
  let database: TestDatabase
  let mailServer: MailServer
  let visits: Visits

  beforeAll(async () => {
    database = await createTestDatabase()
    mailServer = await startMailServer()
    journey = await startSignIn({ databaseUrl: database.url, smtpUrl: mailServer.url })
    visits = await startVisits(findProgram('chromium') ?? '')
  })
  afterEach(async () => {
    expect(await visits.end()).toEqual([])
  })
  afterAll(async () => {
    await visits?.close()
    await journey?.close()
    await mailServer?.close()
    await database?.drop()
  })

  const visit = (options?: BrowserContextOptions) => visits.open(options)
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

  /** The newest letter to an address, once there are `count`. */
  async function letterTo(email: string, count = 1) {
    const found = () => mailServer.mails.filter(({ envelope }) => envelope.to.includes(email))
    while (found().length < count) await mailServer.arrival()
    const mail = found().at(-1) as ArrivedMail
    const lines = (mail.text ?? '').split(/\r?\n/)
    return {
      mail,
      link: lines.find(line => line.startsWith('http://')) ?? '',
      code: lines.find(line => /^\d{6}$/.test(line)) ?? '',
    }
  }
  async function askForMail(page: Page, email: string, query = ''): Promise<void> {
    await page.goto(journey.partner.origin + query)
    await typeAddress(page, email)
  }
  async function typeAddress(page: Page, email: string): Promise<void> {
    await heading(page, 'Sign in to Acme Daily')
    await page.getByLabel('Mail address').fill(email)
    await page.getByRole('button', { name: 'Continue' }).click()
    await heading(page, 'Check your mail')
  }
  async function typeCode(page: Page, code: string): Promise<void> {
    await page.getByLabel('Six-digit code').fill(code)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  const arrives = async (page: Page, email: string) => {
    await page.waitForURL(url => url.origin === journey.partner.origin)
    expect(await page.textContent('body')).toBe(`Welcome ${email}`)
  }

  test('by the link, in the same browser', async () => {
    const email = newAddress()
    const { context, page } = await visit()
    await askForMail(page, email)
    const { link } = await letterTo(email)
    const fromMail = await context.newPage()
    await fromMail.goto(link)
    await fromMail.getByText(email).waitFor()
    await fromMail.getByRole('button', { name: 'Sign in' }).click()
    await arrives(fromMail, email)
  })

  test('by the link in another browser, whose code goes into the first', async () => {
    const email = newAddress()
    const { page } = await visit()
    await askForMail(page, email)
    const { link } = await letterTo(email)
    const phone = await visit({ ...looks[1]?.[1] })
    await phone.page.goto(link)
    await heading(phone.page, 'You opened the link in another browser')
    await phone.page.getByRole('button', { name: 'Show the code' }).click()
    await heading(phone.page, 'Your code')
    const code = (await phone.page.locator('.digits').textContent()) ?? ''
    expect(await phone.context.cookies()).toEqual([])
    await typeCode(page, code)
    await arrives(page, email)
  })

  test('by the code, by keyboard alone', async () => {
    const email = newAddress()
    const { page } = await visit()
    await page.goto(journey.partner.origin)
    await heading(page, 'Sign in to Acme Daily')
    await page.keyboard.type(email)
    await page.keyboard.press('Enter')
    await heading(page, 'Check your mail')
    const { code } = await letterTo(email)
    await page.keyboard.type(code)
    await page.keyboard.press('Enter')
    await arrives(page, email)
  })

  test('by continuing, and as another account', async () => {
    const [one, other] = [newAddress(), newAddress()]
    const { page } = await visit()
    await askForMail(page, one)
    await typeCode(page, (await letterTo(one)).code)
    await arrives(page, one)

    await page.goto(journey.partner.origin)
    await heading(page, 'Welcome back')
    await page.getByRole('button', { name: 'Continue as' }).click()
    await arrives(page, one)

    await page.goto(journey.partner.origin)
    await page.getByRole('button', { name: 'Use another account' }).click()
    await typeAddress(page, other)
    await typeCode(page, (await letterTo(other)).code)
    await arrives(page, other)
    await page.goto(`${journey.tenant}/account`)
    await page.getByText(other).waitFor()
  })

  test('after a wrong code, and a second mail', async () => {
    const email = newAddress()
    const { page } = await visit()
    await askForMail(page, email)
    const first = await letterTo(email)
    await typeCode(page, first.code === '000000' ? '000001' : '000000')
    await page.getByRole('alert').getByText('This code is not right').waitFor()
    await page.getByRole('button', { name: 'send another one' }).click()
    await heading(page, 'Check your mail')
    await typeCode(page, (await letterTo(email, 2)).code)
    await arrives(page, email)
  })

  test('after the mail has expired, by beginning anew', async () => {
    const email = newAddress()
    const { page } = await visit()
    await askForMail(page, email)
    const { link } = await letterTo(email)
    const waiting = page.url()
    await database.pool.query(`update sign_in_mails set expires_at = now()`)
    await database.pool.query(`update sign_in_flows set expires_at = now()`)
    await page.goto(link)
    await heading(page, 'This link is no longer good')
    await page.goto(waiting)
    await heading(page, 'This page is too old')
    await page.getByRole('link', { name: 'Start again' }).click()
    await typeAddress(page, email)
    await typeCode(page, (await letterTo(email, 2)).code)
    await arrives(page, email)
  })

  test('without JavaScript', async () => {
    const email = newAddress()
    const { page } = await visit({ javaScriptEnabled: false, locale: 'de' })
    await page.goto(journey.partner.origin)
    await heading(page, 'Bei Acme Daily anmelden')
    await page.getByLabel('E-Mail-Adresse').fill(email)
    await page.getByRole('button', { name: 'Weiter' }).click()
    await heading(page, 'Sehen Sie in Ihre E-Mails')
    const { code, mail } = await letterTo(email)
    expect(mail.subject).toBe(`${code} ist Ihr Code für Acme Daily`)
    await page.getByLabel('Sechsstelliger Code').fill(code)
    await page.getByRole('button', { name: 'Anmelden' }).click()
    await arrives(page, email)
  })

  test('and the member ends a session and signs out on the account page', async () => {
    const email = newAddress()
    const { page } = await visit()
    await page.goto(`${journey.tenant}/account`)
    await typeAddress(page, email)
    await typeCode(page, (await letterTo(email)).code)
    await heading(page, 'Your account')
    await page.goto(journey.partner.origin)
    await page.getByRole('button', { name: 'Continue as' }).click()
    await arrives(page, email)
    await page.goto(`${journey.tenant}/account`)
    await page.getByText('Application: Puzzle Corner').waitFor()
    await page.getByRole('button', { name: 'End the session: Application: Puzzle Corner' }).click()
    await page.getByRole('status').getByText('The session has ended.').waitFor()
    expect(await page.getByText('Application: Puzzle Corner').count()).toBe(0)
    await page.getByRole('button', { name: 'Sign out of this browser' }).click()
    await heading(page, 'You are signed out')
    await page.getByRole('link', { name: 'Sign in again' }).click()
    await heading(page, 'Sign in to Acme Daily')
  })

  test('in no frame of another origin', async () => {
    const { page } = await visit()
    await page.route(`${journey.partner.origin}/framing`, route =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${journey.tenant}/account"></iframe>`,
      }),
    )
    await page.goto(`${journey.partner.origin}/framing`, { waitUntil: 'commit' })
    await expect
      .poll(() => page.frames()[1]?.url(), { timeout: 10_000 })
      .toBe('chrome-error://chromewebdata/')
    for (const told of await visits.end()) expect(told).toContain('frame-ancestors')
  })

  describe.for(looks)('axe finds nothing, and nothing is wider than the window: %s', ([, look]) => {
    test('of the sign-in pages and the account', { timeout: 90_000 }, async () => {
      const email = `a.reader.with.quite.a.long.address.that.does.not.fit.${++count}@news.example.com`
      const { context, page } = await visit(look)
      await page.goto(journey.partner.origin)
      await heading(page, 'Sign in to Acme Daily')
      await examinePage(page)
      await page.getByLabel('Mail address').fill('ana@example')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('alert').waitFor()
      await examinePage(page)
      await typeAddress(page, email)
      await examinePage(page)
      const { link, code } = await letterTo(email)
      await typeCode(page, '12 34')
      await page.getByRole('alert').waitFor()
      await examinePage(page)

      const other = await visit(look)
      await other.page.goto(link)
      await examinePage(other.page)
      await other.page.getByRole('button').click()
      await heading(other.page, 'Your code')
      await examinePage(other.page)

      const confirming = await context.newPage()
      await confirming.goto(link)
      await heading(confirming, 'Sign in to Acme Daily')
      await examinePage(confirming)
      await typeCode(page, code)
      await arrives(page, email)
      await confirming.reload()
      await heading(confirming, 'This link is no longer good')
      await examinePage(confirming)

      await page.goto(journey.partner.origin)
      await heading(page, 'Welcome back')
      await examinePage(page)
      await page.getByRole('button', { name: 'Continue as' }).click()
      await arrives(page, email)
      await page.goto(`${journey.tenant}/account`)
      await heading(page, 'Your account')
      await examinePage(page)
      await page.getByRole('button', { name: 'Sign out of this browser' }).click()
      await heading(page, 'You are signed out')
      await examinePage(page)
      await page.goto(`${journey.tenant}/oauth/authorize?client_id=nobody`)
      await heading(page, 'This did not work')
      await page.locator('summary').click()
      await examinePage(page)
    })
  })
})
