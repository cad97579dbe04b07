import type { Browser, BrowserContext, Page } from 'playwright-core'
import '../../examples/localhost-names.mjs'
import type { CompletedSignIn, Member, SignIn, SilentAnswer } from '../../sdk/src/sign-in/api.ts'
import { acme, applyTenants } from '../apply-tenants.ts'
import { openVisit, startBrowser } from '../browser.ts'
import { waitForLetter } from '../partner/read-mailbox.ts'
import { type RunningPlatform, startPlatform } from '../start-platform.ts'
import { findPort } from '../start-program.ts'
import { untilServed } from '../until-served.ts'
import { within } from '../within.ts'
import { startPages } from './start-pages.ts'

declare global {
  interface Window {
    answer?: CompletedSignIn
    asked?: Awaited<ReturnType<SignIn['signIn']>>
  }
}

const secret = 'the-secret-of-the-pages-of-32-characters-or-more'

let count = 0

/** The platform as `npm start` starts it; pages at any hostname, of which `news` is registered with the client `pages`; and a
 *  second tenant, whose Cookie Domain is blank. */
export async function startSilent(executablePath: string) {
  await using started = new AsyncDisposableStack()
  const platform: RunningPlatform = await startPlatform()
  started.defer(platform.close)
  const pages = await startPages(() => platform.tenantUrl)
  started.defer(pages.close)
  const redirectUris = ['/back', '/asking', '/forgetful'].map(path => pages.at('127.0.0.1') + path)
  const client = { client_id: 'pages', name: 'Pages', client_secret: secret, redirect_uris: redirectUris }
  const [news, gazette] = [pages.at('news.acme.localhost'), pages.at('news.gazette.localhost')]
  await applyTenants(platform, [
    { ...acme, clients: [{ ...client, allowed_origins: [news] }] },
    {
      slug: 'gazette',
      name: 'The Gazette',
      domain: 'members.gazette.localhost',
      clients: [{ ...client, allowed_origins: [gazette] }],
    },
  ])
  await untilServed(platform.port, 'members.gazette.localhost')
  const browser: Browser = await startBrowser(executablePath)
  started.defer(() => browser.close())
  const freePort = `${await findPort()}`
  const gazetteUrl = platform.tenantUrl.replace('acme', 'gazette')
  const rest = started.move()

  return {
    platform,
    tenantUrl: platform.tenantUrl,
    gazetteUrl,
    /** Registered; of the second tenant; same-site and not registered; where redirects lead to. */
    news,
    gazette,
    other: pages.at('other.acme.localhost'),
    local: pages.at('127.0.0.1'),
    /** Where nobody listens yet, same-site. */
    free: { origin: `http://news.acme.localhost:${freePort}`, port: freePort },
    openVisit: () => openVisit(browser),

    /** Signs a member in on the tenant's own page; gives the address. */
    async signIn(visit: BrowserContext, tenantUrl = platform.tenantUrl): Promise<string> {
      const page = await visit.newPage()
      await page.goto(`${tenantUrl}/account`)
      const email = await this.typeSignIn(page)
      await page.getByText(email).first().waitFor()
      await page.close()
      return email
    },

    /** Signs in on the hosted page that is shown. */
    async typeSignIn(page: Page): Promise<string> {
      const email = await this.askForMail(page)
      await page.getByLabel('Six-digit code').fill((await waitForLetter(platform.port, email)).code)
      await page.getByRole('button', { name: 'Sign in' }).click()
      return email
    },

    async askForMail(page: Page): Promise<string> {
      const email = `reader-${++count}@example.com`
      await page.getByLabel('Mail address').fill(email)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByLabel('Six-digit code').waitFor()
      return email
    },
    letterTo: (email: string) => waitForLetter(platform.port, email),

    /** What the publisher's server gets for a code: whose token it is. */
    async exchange(code: string, given: Record<string, string>): Promise<Member | string> {
      const tokens = await fetch(`${platform.tenantUrl}/oauth/token`, {
        method: 'POST',
        signal: AbortSignal.timeout(20_000),
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          client_id: 'pages',
          client_secret: secret,
          ...given,
        }),
      })
      const { access_token: token, error } = (await tokens.json()) as { access_token: string; error: string }
      if (!tokens.ok) return error
      const found = await fetch(`${platform.tenantUrl}/api/sdk/member`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(20_000),
      })
      return ((await found.json()) as { data: Member }).data
    },
    redirectUris,

    close: () => rest.disposeAsync(),
  }
}

export type Silent = Awaited<ReturnType<typeof startSilent>>

/** Asks on a page, whether the file is there yet or not. Throws when there is no answer within 20 seconds: in a page alone
 *  nothing has an end. */
export const ask = (page: Page): Promise<SilentAnswer> =>
  within(
    20_000,
    `an answer of silentSignIn on ${page.url()}`,
    page.evaluate(() => (window.usher as unknown as SignIn).silentSignIn({ clientId: 'pages' })),
  )

/** The requests to a path, as the network sees them: preflights too. */
export async function watchRequests(page: Page, path: string): Promise<string[]> {
  const seen: string[] = []
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  devtools.on('Network.requestWillBeSent', ({ request: { method, url } }) => {
    if (new URL(url).pathname === path) seen.push(method)
  })
  return seen
}
