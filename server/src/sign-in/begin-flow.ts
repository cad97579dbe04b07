import { uuidv7 } from '../foundation/uuid.ts'
import type { BrowserFacts, HostedPages, PageAnswer } from '../oauth/index.ts'
import { frameFor, pageAnswer } from './answers.ts'
import { keepBrowserCookie } from './browser-cookie.ts'
import { findUsableSession } from './find-usable-session.ts'
import { flowLifetimeMs, flowPaths } from './flow.ts'
import { continuePage } from './pages/continue-page.ts'
import { signInPage } from './pages/sign-in-page.ts'
import type { SignInParts } from './sign-in-parts.ts'

export type BegunRequest = Parameters<HostedPages['begin']>[1]

/** As long as a mail address can be. */
const MAX_HINT = 254

/** Begins a flow, and answers the page to show: continue-as where a member is signed in and that is enough, else
 *  sign-in (interface 4.6). `request` null is a sign-in for the tenant's own pages. */
export async function beginFlow(
  parts: SignInParts,
  browser: BrowserFacts,
  asked: BegunRequest | null,
): Promise<PageAnswer> {
  const { tenant } = browser
  const now = new Date(parts.nowMs())
  const cookie = keepBrowserCookie(browser.cookieHeader, parts.publicUrl.protocol === 'https:')
  const session = asked && (await findUsableSession(parts, browser, { request: asked, prompt: asked.prompt }))
  const id = uuidv7()
  await parts.storeFlow(tenant.id, {
    id,
    browserHash: cookie.hash,
    request: asked,
    prompt: asked?.prompt ?? null,
    createdAt: now,
    expiresAt: new Date(now.getTime() + flowLifetimeMs),
  })
  const paths = flowPaths(id)
  const frame = frameFor(browser)
  const page =
    asked && session
      ? continuePage(frame, { action: paths.continue, clientName: asked.clientName, member: session.member })
      : signInPage(frame, {
          ...paths,
          clientName: asked?.clientName ?? null,
          methods: tenant.signIn.loginMethods,
          providers: await parts.social.listOffered(tenant.id),
          email: asked?.loginHint?.slice(0, MAX_HINT) ?? '',
        })
  return pageAnswer(page, { cookies: [cookie.setCookie] })
}
