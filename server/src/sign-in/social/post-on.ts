import type { BrowserFacts, PageAnswer } from '../../oauth/index.ts'
import { frameFor, pageAnswer } from '../answers.ts'
import { inLanguageOf } from '../flow-language.ts'
import { findFlow } from '../flows.store.ts'
import { returnPage } from '../pages/return-page.ts'
import { showExpired } from '../problems.ts'
import type { SignInParts } from '../sign-in-parts.ts'
import { hashState } from './attempt.ts'
import { findOffered } from './go-to-provider.ts'
import { returnPath } from './provider-addresses.ts'
import { findAttemptedFlow } from './social-attempts.store.ts'

/** What an authorization response has (RFC 6749 4.1.2, RFC 9207), and where Apple tells the name. */
const FIELDS = ['code', 'state', 'iss', 'error', 'user']

/** Answers a form that a provider's site has posted, which changes nothing here: it comes without cookies, so whose it is
 *  is seen when the page has posted it on (decisions, "Signing in"). */
export async function postOn(
  parts: SignInParts,
  browser: BrowserFacts,
  { providerId, answer }: { providerId: string; answer: URLSearchParams },
): Promise<PageAnswer> {
  const { tenant } = browser
  const provider = await findOffered(parts, tenant.id, providerId)
  if (!provider) return showExpired(browser)
  const fields = [...answer].filter(([name]) => FIELDS.includes(name))
  const flowId = await findAttemptedFlow(parts.db, tenant.id, hashState(answer.get('state') ?? ''))
  const flow = flowId === undefined ? undefined : await findFlow(parts.db, tenant.id, flowId)
  const page = returnPage(frameFor(inLanguageOf(flow, browser)), {
    action: returnPath(provider.id),
    providerName: provider.name,
    fields,
  })
  return pageAnswer(page)
}
