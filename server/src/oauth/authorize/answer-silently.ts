import type { AuthorizationRequest, BrowserFacts } from '../authorization-request.ts'
import { isRecentEnough } from '../is-recent-enough.ts'
import type { OAuthParts } from '../open-oauth.ts'
import type { Fault } from './asked.ts'
import type { Unredirectable } from './find-asking-client.ts'

/** One for all, so that it tells nobody more than that. */
const NOBODY: Fault = {
  error: 'login_required',
  description:
    'Nobody is signed in on this browser, or this request may not tell: it came in a frame, or the Cookie Domain is not set.',
}
const TOO_LONG_AGO: Fault = {
  error: 'login_required',
  description: 'The member signed in longer ago than max_age says.',
}

/** Answers prompt=none (interface 4.9): the address with a code where a member is signed in, login_required where
 *  nobody is, or not the one or not as lately as was asked, or where nobody could be told: without a Cookie Domain, and outside of a top-level navigation (decisions,
 *  "Silent sign-in"). */
export async function answerSilently(
  { members, issueCode, nowMs }: OAuthParts,
  {
    browser: { tenant, cookieHeader },
    request,
    fetchDest,
  }: { browser: BrowserFacts; request: AuthorizationRequest; fetchDest: string | undefined },
): Promise<{ address: string } | Fault | Unredirectable> {
  if (tenant.cookieDomain === null) return NOBODY
  if (fetchDest !== undefined && fetchDest !== 'document') return NOBODY
  const session = await members.findBrowserSession({ tenant, cookieHeader })
  if (!session) return NOBODY
  if (!isRecentEnough(session.signedInAt, request.maxAgeS, nowMs())) return TOO_LONG_AGO
  const address = await issueCode(null, {
    ...request,
    tenant,
    memberId: session.member.id,
    sessionId: session.sessionId,
    origin: 'prompt_none',
    now: new Date(nowMs()),
  })
  return address === undefined ? { detail: 'The client was changed a moment ago.' } : { address }
}
