import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../server/src/testing/database.ts'
import { type MailServer, startMailServer } from '../../server/src/testing/mail-server.ts'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { type AppleServer, startAppleServer } from '../../server/src/testing/social/apple-server.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../server/src/testing/social/openid-provider.ts'
import { examinePage, looks } from '../examine-page.ts'
import { startVisits, type Visits } from '../start-visits.ts'
import { type SignInJourney, startSignIn } from './start-sign-in.ts'

describe.skipIf(needsProgram('chromium'))('a member signs in by a provider, in a real browser', () => {
  let journey: SignInJourney
  let database: TestDatabase
  let mailServer: MailServer
  let visits: Visits
  let provider: OpenIdProvider
  let apple: AppleServer

  beforeAll(async () => {
    database = await createTestDatabase()
    mailServer = await startMailServer()
    // Each a site of its own, as browsers see it.
    apple = await startAppleServer({ host: 'apple.localhost' })
    journey = await startSignIn({
      databaseUrl: database.url,
      smtpUrl: mailServer.url,
      async declare(tenant) {
        provider = await startOpenIdProvider({
          host: 'idp.localhost',
          redirectUris: [`${tenant}/sign-in/social/staff/callback`],
        })
        const client = { client_id: 'usher', client_secret: provider.clientSecret }
        return {
          social: [
            { provider: 'apple', issuer: apple.issuer, ...apple.terms },
            { provider: 'oidc', name: 'Staff', issuer: provider.issuer, ...client },
          ],
        }
      },
    })
    visits = await startVisits(findProgram('chromium') ?? '')
  })
  afterEach(async () => {
    provider.behave()
    expect(await visits.end()).toEqual([])
  })
  afterAll(async () => {
    await visits?.close()
    await journey?.close()
    await provider?.close()
    await apple?.close()
    await mailServer?.close()
    await database?.drop()
  })

  const visit = (options?: BrowserContextOptions) => visits.open(options)
  let count = 0
  function newAccount(): { login: string; email: string } {
    const login = `person-${++count}`
    const email = `${login}@example.com`
    provider.accounts[login] = { email, email_verified: true }
    return { login, email }
  }
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const press = (page: Page, name: string) => page.getByRole('button', { name }).click()
  async function logIn(page: Page, login: string): Promise<void> {
    await heading(page, 'Sign in at the provider')
    await page.getByLabel('Name').fill(login)
    await press(page, 'Log in')
  }
  const arrives = async (page: Page, email: string) => {
    await page.waitForURL(url => url.origin === journey.partner.origin)
    expect(await page.textContent('body')).toBe(`Welcome ${email}`)
  }

  test.for([
    ['with JavaScript', true],
    ['without', false],
  ] as const)('by OpenID Connect, %s', async ([, javaScriptEnabled]) => {
    const { login, email } = newAccount()
    const { page } = await visit({ javaScriptEnabled })
    await page.goto(journey.partner.origin)
    await press(page, 'Continue with Staff')
    await logIn(page, login)
    await arrives(page, email)
  })

  test('after the provider has refused once, in the same flow', async () => {
    const { login, email } = newAccount()
    const { page } = await visit()
    await page.goto(journey.partner.origin)
    await press(page, 'Continue with Staff')
    await heading(page, 'Sign in at the provider')
    await press(page, 'Cancel')
    await page.getByRole('alert').getByText('Staff did not sign you in.').waitFor()
    await page.getByLabel('Mail address').waitFor()
    await press(page, 'Continue with Staff')
    await logIn(page, login)
    await arrives(page, email)
  })

  test.for([
    ['en', 'Continue with Staff', 'Staff cannot be reached at the moment.'],
    ['de', 'Weiter mit Staff', 'Staff ist im Moment nicht zu erreichen.'],
    ['fr', 'Continuer avec Staff', 'Staff est injoignable pour le moment.'],
    ['es', 'Continuar con Staff', 'No se puede acceder a Staff en este momento.'],
  ] as const)('or is told in %s that the provider is away', async ([locale, button, words]) => {
    const { login } = newAccount()
    const { page } = await visit({ locale })
    await page.goto(journey.partner.origin)
    await press(page, button)
    await heading(page, 'Sign in at the provider')
    provider.misbehave('/token', (_request, response) => void response.destroy())
    await page.getByLabel('Name').fill(login)
    await press(page, 'Log in')
    await page.getByRole('alert').getByText(words).waitFor()
    await page.getByRole('button', { name: button }).waitFor()
  })

  describe('by Apple, whose form comes from another site without cookies', () => {
    test.for([
      ['by itself', true],
      ['without JavaScript by a button', false],
    ] as const)('which is posted on %s', async ([, javaScriptEnabled]) => {
      const email = `apple-${++count}@example.com`
      apple.claims = { sub: `00.${count}`, email, email_verified: 'true' }
      const { page } = await visit({ javaScriptEnabled })
      const posted: (string | undefined)[] = []
      page.on('request', async request => {
        if (request.url().endsWith('/sign-in/social/apple/callback'))
          posted.push((await request.allHeaders()).cookie)
      })
      await page.goto(journey.partner.origin)
      await press(page, 'Continue with Apple')
      await heading(page, 'Apple')
      await press(page, 'Continue at Apple')
      if (!javaScriptEnabled) {
        await heading(page, 'One moment')
        await press(page, 'Continue')
      }
      await arrives(page, email)
      // So it was as it is in the wild.
      expect(posted).toEqual([undefined])
    })
  })

  test('and links and unlinks an account on the account page', async () => {
    const [first, second] = [newAccount(), newAccount()]
    apple.claims = { sub: 'linked', email: 'private@relay.example', email_verified: 'true' }
    const { page } = await visit()
    await page.goto(`${journey.tenant}/account`)
    await press(page, 'Continue with Staff')
    await logIn(page, first.login)
    await heading(page, 'Your account')
    await press(page, 'Link Apple')
    await press(page, 'Continue at Apple')
    await page.getByRole('status').getByText('The account is linked.').waitFor()
    await page.getByText('private@relay.example').waitFor()

    const other = await visit()
    await other.page.goto(`${journey.tenant}/account`)
    await press(other.page, 'Continue with Staff')
    await logIn(other.page, second.login)
    await press(other.page, 'Link Apple')
    await press(other.page, 'Continue at Apple')
    await other.page.getByRole('alert').getByText('linked to another member here').waitFor()

    await press(page, 'Unlink the account: Apple, private@relay.example')
    await page.getByRole('status').getByText('The account is not linked any more.').waitFor()
    expect(await page.getByText('private@relay.example').count()).toBe(0)
  })

  test.for([
    ['with JavaScript', true],
    ['without', false],
  ] as const)(
    'and is called as the provider says, until the member writes another name by keyboard, %s',
    async ([, javaScriptEnabled]) => {
      const { login, email } = newAccount()
      provider.accounts[login] = { email, email_verified: true, name: 'Augusta Ada King' }
      const { page } = await visit({ javaScriptEnabled })
      await page.goto(`${journey.tenant}/account`)
      await press(page, 'Continue with Staff')
      await logIn(page, login)
      await heading(page, 'Your account')
      const field = page.getByRole('textbox', { name: 'Name' })
      expect(await field.inputValue()).toBe('Augusta Ada King')
      await field.fill('Ada')
      await field.press('Enter')
      await page.getByRole('status').getByText('Your name is saved.').waitFor()
      expect(await field.inputValue()).toBe('Ada')
    },
  )

  describe.for(looks)('axe finds nothing, and nothing is wider than the window: %s', ([, look]) => {
    test('of the pages with providers', { timeout: 90_000 }, async () => {
      const { login } = newAccount()
      apple.claims = { sub: login, email: `${'very.long.address.'.repeat(5)}${count}@example.com` }
      const { page } = await visit(look)
      await page.goto(journey.partner.origin)
      await heading(page, 'Sign in to Acme Daily')
      await examinePage(page)
      await press(page, 'Continue with Staff')
      await press(page, 'Cancel')
      await page.getByRole('alert').waitFor()
      await examinePage(page)
      await page.goto(`${journey.tenant}/account`)
      await press(page, 'Continue with Staff')
      await logIn(page, login)
      await heading(page, 'Your account')
      await press(page, 'Link Apple')
      await press(page, 'Continue at Apple')
      await page.getByRole('status').waitFor()
      await examinePage(page)

      const still = await visit({ ...look, javaScriptEnabled: false })
      await still.page.goto(journey.partner.origin)
      await press(still.page, 'Continue with Apple')
      await press(still.page, 'Continue at Apple')
      await heading(still.page, 'One moment')
      expect(await still.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(
        true,
      )
    })
  })
})
