import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import { frameFor, pageAnswer, redirectAnswer } from './answers.ts'
import { goOn } from './complete-flow.ts'
import { findUsableSession } from './find-usable-session.ts'
import { type Flow, flowPaths } from './flow.ts'
import { continuePage } from './pages/continue-page.ts'
import type { SignInParts } from './sign-in-parts.ts'

/** Goes on as the member who is signed in, or asks for another account. The page says as whom one goes on: when
 *  somebody else is signed in by now, it is shown again. */
export async function continueAs(
  parts: SignInParts,
  browser: BrowserFacts,
  flow: Flow,
  { action, memberId }: { action: string | null; memberId: string | null },
): Promise<PageAnswer> {
  const paths = flowPaths(flow.id)
  const { request } = flow
  const session = await findUsableSession(parts, browser, flow)
  if (action !== 'continue' || !session || !request) return redirectAnswer(paths.start)
  const { member, sessionId } = session
  if (member.id === memberId) return goOn(parts, browser, flow, { memberId: member.id, sessionId })
  const client = await parts.oauth.findClient(browser.tenant.id, request.clientId)
  const content = { action: paths.continue, clientName: client?.name ?? request.clientId, member }
  return pageAnswer(continuePage(frameFor(browser), content))
}
