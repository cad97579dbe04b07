import { uuidv7 } from '../../foundation/uuid.ts'
import type { BrowserSession } from '../../members/index.ts'
import type { BrowserFacts, PageAnswer } from '../../oauth/index.ts'
import { showAccount } from '../account.ts'
import { isOwnForm } from '../account-form.ts'
import { frameFor, redirectAnswer } from '../answers.ts'
import { keepBrowserCookie } from '../browser-cookie.ts'
import { flowLifetimeMs } from '../flow.ts'
import { showProblem } from '../problems.ts'
import type { SignInParts } from '../sign-in-parts.ts'
import { findOffered, goToProvider } from './go-to-provider.ts'
import type { ProviderAccount } from './identity.ts'
import { keepsWayIn } from './linked-accounts.ts'
import {
  deleteIdentity,
  findIdentity,
  insertIdentity,
  lockIdentities,
  noteUse,
} from './member-identities.store.ts'
import type { SocialProvider } from './provider.ts'
import { ProviderFault } from './provider-fault.ts'
import { faultStatus, faultText, type SocialFault } from './show-fault.ts'

const ACCOUNT = '/account'

/** The account page, which says what went wrong. */
export const showLinkFault = (
  parts: SignInParts,
  browser: BrowserFacts,
  { fault, providerName }: { fault: SocialFault; providerName: string },
): Promise<PageAnswer> =>
  showAccount(parts, browser, {
    fault: faultText(browser, fault, providerName),
    status: faultStatus[fault],
  })

/** Sends a member who is signed in to a provider, to link the account there. */
export async function beginLinking(
  parts: SignInParts,
  browser: BrowserFacts,
  form: { token: string | null; providerId: string | null },
): Promise<PageAnswer> {
  const { tenant } = browser
  const session = await parts.members.findBrowserSession(browser)
  if (!session) return redirectAnswer(ACCOUNT)
  if (!isOwnForm(parts, tenant.id, session, form.token)) return showProblem(browser, 'foreign')
  const provider = await findOffered(parts, tenant.id, form.providerId)
  if (!provider) return redirectAnswer(ACCOUNT)
  const cookie = keepBrowserCookie(browser.cookieHeader, parts.publicUrl.protocol === 'https:')
  try {
    const address = await goToProvider(parts, browser, provider, {
      browserHash: cookie.hash,
      purpose: { memberId: session.member.id, sessionId: session.sessionId },
      expiresAt: new Date(parts.nowMs() + flowLifetimeMs),
      choose: true,
    })
    return redirectAnswer(address, [cookie.setCookie])
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    parts.social.tellFault(tenant, provider, error)
    return showLinkFault(parts, browser, { fault: error.kind, providerName: provider.name })
  }
}

/** Links an account to the member who is signed in, unless it is another member's. What address it has does not matter:
 *  the member has shown that both are theirs. */
export async function linkAccount(
  parts: SignInParts,
  browser: BrowserFacts,
  { member }: BrowserSession,
  { provider, account }: { provider: SocialProvider; account: ProviderAccount },
): Promise<PageAnswer> {
  const { tenant } = browser
  const now = new Date(parts.nowMs())
  const { issuer, subject, label } = account
  const use = { providerId: provider.id, label, now }
  const isOwn = await parts.db.transaction().execute(async trx => {
    const identity = {
      id: uuidv7(),
      memberId: member.id,
      issuer,
      subject,
      providerId: provider.id,
      label,
      createdAt: now,
    }
    if (!(await insertIdentity(trx, tenant.id, identity))) {
      const known = await findIdentity(trx, tenant.id, account)
      if (known?.memberId !== member.id) return false
      await noteUse(trx, tenant.id, known.id, use)
    }
    await parts.members.suggestName(trx, tenant.id, { memberId: member.id, name: account.name })
    return true
  })
  return isOwn
    ? redirectAnswer(`${ACCOUNT}?linked`)
    : showLinkFault(parts, browser, { fault: 'taken', providerName: provider.name })
}

/** Takes one of the member's accounts away, but never the last way in. */
export async function unlinkAccount(
  parts: SignInParts,
  browser: BrowserFacts,
  form: { token: string | null; identityId: string | null },
): Promise<PageAnswer> {
  const { tenant } = browser
  const session = await parts.members.findBrowserSession(browser)
  if (!session) return redirectAnswer(ACCOUNT)
  if (!isOwnForm(parts, tenant.id, session, form.token)) return showProblem(browser, 'foreign')
  const offered = await parts.social.listOffered(tenant.id)
  const done = await parts.db.transaction().execute(async trx => {
    const identities = await lockIdentities(trx, tenant.id, session.member.id)
    const identity = identities.find(({ id }) => id === form.identityId)
    if (!identity) return 'gone'
    if (!keepsWayIn(tenant, offered, identities, identity.id)) return 'kept'
    await deleteIdentity(trx, tenant.id, identity.id)
    return 'unlinked'
  })
  if (done === 'kept')
    return showAccount(parts, browser, { fault: frameFor(browser).texts.social.lastWayIn, status: 409 })
  return redirectAnswer(done === 'gone' ? ACCOUNT : `${ACCOUNT}?unlinked`)
}
