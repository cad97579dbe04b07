import { type BrowserSession, maxNameLength } from '../members/index.ts'
import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import { formToken, isOwnForm } from './account-form.ts'
import { frameFor, pageAnswer, redirectAnswer } from './answers.ts'
import { beginFlow } from './begin-flow.ts'
import { type AccountNotice, accountPage, type SessionLine } from './pages/account-page.ts'
import { signedOutPage } from './pages/signed-out-page.ts'
import { showProblem } from './problems.ts'
import type { SignInParts } from './sign-in-parts.ts'
import { listLinkedAccounts } from './social/linked-accounts.ts'

const ACCOUNT = '/account'
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
async function listSessionLines(
  { members, oauth }: SignInParts,
  tenantId: string,
  { member, sessionId }: BrowserSession,
  now: Date,
): Promise<SessionLine[]> {
  const sessions = await members.listSessions(tenantId, member.id, now)
  return Promise.all(
    sessions.map(async session => ({
      id: session.id,
      clientName:
        session.clientId === null
          ? null
          : ((await oauth.findClient(tenantId, session.clientId))?.name ?? session.clientId),
      userAgent: session.userAgent,
      address: session.lastSeenAddress,
      createdAt: session.createdAt,
      lastSeenAt: session.lastSeenAt,
      isCurrent: session.id === sessionId,
    })),
  )
}

/** The member's own page; the sign-in page where nobody is signed in. `fault` is what went wrong, in the member's
 *  language. */
export async function showAccount(
  parts: SignInParts,
  browser: BrowserFacts,
  {
    notice,
    fault,
    wrongName,
    status = 200,
  }: { notice?: AccountNotice; fault?: string; wrongName?: string; status?: number } = {},
): Promise<PageAnswer> {
  const { tenant, address } = browser
  const session = await parts.members.findBrowserSession(browser)
  if (!session) return beginFlow(parts, browser, null)
  const now = new Date(parts.nowMs())
  await parts.members.noteSeen(tenant.id, { sessionId: session.sessionId, address, now })
  const page = accountPage(frameFor(browser), {
    // What is known of the session is some seconds old, and the name may be new.
    member: (await parts.members.findMember(tenant.id, session.member.id)) ?? session.member,
    sessions: await listSessionLines(parts, tenant.id, session, now),
    now,
    formToken: formToken(parts, tenant.id, session.sessionId),
    ...(await listLinkedAccounts(parts, tenant, session.member.id)),
    ...(notice && { notice }),
    ...(fault !== undefined && { fault }),
    ...(wrongName !== undefined && { wrongName }),
  })
  return pageAnswer(page, { status })
}

/** Gives the member the name that they typed; none where it is empty. */
export async function changeName(
  parts: SignInParts,
  browser: BrowserFacts,
  form: { token: string | null; name: string | null },
): Promise<PageAnswer> {
  const { tenant } = browser
  const session = await parts.members.findBrowserSession(browser)
  if (!session) return redirectAnswer(ACCOUNT)
  if (!isOwnForm(parts, tenant.id, session, form.token)) return showProblem(browser, 'foreign')
  // Who leaves the field out has said nothing of the name.
  if (form.name === null) return redirectAnswer(ACCOUNT)
  const { name } = form
  if (await parts.members.renameMember(tenant.id, { memberId: session.member.id, name }))
    return redirectAnswer(`${ACCOUNT}?named`)
  const fault = frameFor(browser).texts.account.nameTooLong(maxNameLength)
  return showAccount(parts, browser, { fault, wrongName: name, status: 400 })
}

/** Ends another session of the member's; this browser's goes on. */
export async function endOtherSession(
  parts: SignInParts,
  browser: BrowserFacts,
  form: { token: string | null; sessionId: string | null },
): Promise<PageAnswer> {
  const session = await parts.members.findBrowserSession(browser)
  if (!session) return redirectAnswer(ACCOUNT)
  if (!isOwnForm(parts, browser.tenant.id, session, form.token)) return showProblem(browser, 'foreign')
  const ended =
    form.sessionId !== null &&
    UUID.test(form.sessionId) &&
    form.sessionId !== session.sessionId &&
    (await parts.members.endSession(browser.tenant.id, {
      memberId: session.member.id,
      sessionId: form.sessionId,
      now: new Date(parts.nowMs()),
    }))
  return redirectAnswer(ended ? `${ACCOUNT}?ended` : ACCOUNT)
}

/** Signs this browser out: its session ends, and with it every token that rides it. */
export async function signOut(
  parts: SignInParts,
  browser: BrowserFacts,
  form: { token: string | null },
): Promise<PageAnswer> {
  const { tenant } = browser
  const session = await parts.members.findBrowserSession(browser)
  if (session) {
    if (!isOwnForm(parts, tenant.id, session, form.token)) return showProblem(browser, 'foreign')
    const now = new Date(parts.nowMs())
    await parts.members.endSession(tenant.id, {
      memberId: session.member.id,
      sessionId: session.sessionId,
      now,
    })
  }
  return redirectAnswer('/signed-out', parts.members.sessionCookies(tenant, null))
}

/** What stands there after signing out. */
export const showSignedOut = (browser: BrowserFacts): PageAnswer =>
  pageAnswer(signedOutPage(frameFor(browser), { againHref: ACCOUNT }))
