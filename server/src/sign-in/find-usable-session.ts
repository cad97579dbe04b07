import type { BrowserSession } from '../members/index.ts'
import { type BrowserFacts, isRecentEnough } from '../oauth/index.ts'
import type { Flow } from './flow.ts'
import type { SignInParts } from './sign-in-parts.ts'

/** Who is signed in on the browser already, if that is enough for what the client asked for: it wants nobody asked again,
 *  nobody else, and no sign-in of longer ago (OpenID Connect Core 3.1.2.1). */
export async function findUsableSession(
  parts: SignInParts,
  browser: BrowserFacts,
  { request, prompt }: Pick<Flow, 'request' | 'prompt'>,
): Promise<BrowserSession | undefined> {
  const session = prompt === null ? await parts.members.findBrowserSession(browser) : undefined
  if (!session || !request) return session
  const isExpected = request.memberHint === null || request.memberHint === session.member.id
  return isExpected && isRecentEnough(session.signedInAt, request.maxAgeS, parts.nowMs())
    ? session
    : undefined
}
