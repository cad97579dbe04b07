import type { BrowserSession } from '../../members/index.ts'
import type { BrowserFacts, PageAnswer } from '../../oauth/index.ts'
import { browserHash } from '../browser-cookie.ts'
import { findOwnFlow, isLive } from '../find-flow.ts'
import type { Flow } from '../flow.ts'
import { inLanguageOf } from '../flow-language.ts'
import { showExpired } from '../problems.ts'
import type { SignInParts } from '../sign-in-parts.ts'
import { askAccount } from './ask-account.ts'
import { type Attempt, hashState, openChecks } from './attempt.ts'
import { findOffered } from './go-to-provider.ts'
import { linkAccount, showLinkFault } from './link-account.ts'
import { redirectUriOf } from './provider-addresses.ts'
import { ProviderFault } from './provider-fault.ts'
import { type SocialFault, showSocialFault } from './show-fault.ts'
import { signInAccount } from './sign-in-account.ts'
import { consumeAttempt, findAttemptedFlow } from './social-attempts.store.ts'

/** What goes on once the provider has said who it is. */
type Goal = { flow: Flow } | { session: BrowserSession }

/** Uses up the attempt whose state came back, in the browser that began it and at the address of its provider. */
async function takeAttempt(
  parts: SignInParts,
  { tenant, cookieHeader }: BrowserFacts,
  providerId: string,
  stateHash: Buffer,
): Promise<Attempt | undefined> {
  const browser = browserHash(cookieHeader, parts.publicUrl.protocol === 'https:')
  if (!browser) return undefined
  const now = new Date(parts.nowMs())
  return consumeAttempt(parts.db, tenant.id, { stateHash, browserHash: browser, providerId, now })
}

/** The page for an answer that nothing waits for, with the way to begin anew if it was this browser's. */
async function showOver(parts: SignInParts, browser: BrowserFacts, stateHash: Buffer): Promise<PageAnswer> {
  const flowId = await findAttemptedFlow(parts.db, browser.tenant.id, stateHash)
  const flow = flowId === undefined ? undefined : await findOwnFlow(parts, browser, flowId)
  return showExpired(inLanguageOf(flow, browser), flow)
}

/** The flow that goes on, or the session whose member links; undefined when it is over. */
async function findGoal(
  parts: SignInParts,
  browser: BrowserFacts,
  { purpose }: Attempt,
): Promise<Goal | undefined> {
  if ('flowId' in purpose) {
    const flow = await findOwnFlow(parts, browser, purpose.flowId)
    return flow && isLive(flow, parts.nowMs()) ? { flow } : undefined
  }
  const session = await parts.members.findBrowserSession(browser)
  // Whoever is signed in by now is somebody else: the account is not theirs.
  const isSame = session?.sessionId === purpose.sessionId && session.member.id === purpose.memberId
  return isSame ? { session } : undefined
}

/** What a provider's answer brings about, however it came here (OpenID Connect Core 3.1.2.5; RFC 6749 4.1.2). */
export async function returnFromProvider(
  parts: SignInParts,
  asked: BrowserFacts,
  { providerId, answer }: { providerId: string; answer: URLSearchParams },
): Promise<PageAnswer> {
  const { tenant } = asked
  const state = answer.get('state') ?? ''
  const stateHash = hashState(state)
  const attempt = await takeAttempt(parts, asked, providerId, stateHash)
  const goal = attempt && (await findGoal(parts, asked, attempt))
  if (!attempt || !goal) return showOver(parts, asked, stateHash)
  const browser = 'flow' in goal ? inLanguageOf(goal.flow, asked) : asked
  const refuse = (fault: SocialFault, providerName: string) =>
    'flow' in goal
      ? showSocialFault(parts, browser, goal.flow, { fault, providerName })
      : showLinkFault(parts, browser, { fault, providerName })

  const provider = await findOffered(parts, tenant.id, providerId)
  if (!provider) return showOver(parts, browser, stateHash)
  try {
    const config = await parts.social.connect(tenant.id, provider)
    const response = new URL(`${redirectUriOf(parts.publicUrl, tenant.domain, provider.id)}?${answer}`)
    const checks = openChecks(parts.secrets, attempt)
    const account = await askAccount(config, provider, { response, state, checks })
    return 'flow' in goal
      ? await signInAccount(parts, browser, goal.flow, { provider, account })
      : await linkAccount(parts, browser, goal.session, { provider, account })
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    parts.social.tellFault(tenant, provider, error)
    return refuse(error.kind, provider.name)
  }
}
