import type { BrowserSession, Members } from '../../members/index.ts'
import type { BrowserFacts, HostedPages, PageAnswer } from '../authorization-request.ts'
import type { ClientCache } from '../client-cache.ts'
import { preferLocales } from '../prefer-locales.ts'
import { LOGOUT_PARAMETERS, type LogoutRequest, readLogoutRequest } from './read-logout-request.ts'

interface SignOutParts {
  clients: ClientCache
  members: Pick<
    Members,
    'readIdToken' | 'findBrowserSession' | 'endSession' | 'endClientSessions' | 'sessionCookies'
  >
  pages: HostedPages
  nowMs(): number
}

async function readRequest(parts: SignOutParts, asked: BrowserFacts, parameters: URLSearchParams) {
  const { acceptLanguage } = asked
  const uiLocales = parameters.get('ui_locales')
  const browser = { ...asked, acceptLanguage: preferLocales(acceptLanguage, uiLocales) }
  return { browser, request: await readLogoutRequest(parts, asked.tenant, parameters) }
}

/** Signs a browser out for a client (OpenID Connect RP-Initiated Logout 2): at once where the client shows an id_token of
 *  the session that the browser is in, else once the member has said so on a page. */
export async function answerLogout(
  parts: SignOutParts,
  asked: BrowserFacts,
  parameters: URLSearchParams,
): Promise<PageAnswer> {
  const { browser, request } = await readRequest(parts, asked, parameters)
  if ('detail' in request) return parts.pages.showError(browser, request.detail)
  const session = await parts.members.findBrowserSession(browser)
  if (!session || request.hint?.sessionId === session.sessionId)
    return signOut(parts, browser, request, session)
  const fields = LOGOUT_PARAMETERS.flatMap((name): [string, string][] => {
    const value = parameters.get(name)
    return value === null ? [] : [[name, value]]
  })
  return parts.pages.askToSignOut(browser, { session, clientName: request.client?.name ?? null, fields })
}

/** Does what the member said on that page. */
export async function confirmLogout(
  parts: SignOutParts,
  asked: BrowserFacts,
  form: URLSearchParams,
): Promise<PageAnswer> {
  const { browser, request } = await readRequest(parts, asked, form)
  if ('detail' in request) return parts.pages.showError(browser, request.detail)
  const session = await parts.members.findBrowserSession(browser)
  if (session && !parts.pages.isOwnForm(browser, session, form.get('form')))
    return parts.pages.showForeign(browser)
  return signOut(parts, browser, request, session)
}

async function signOut(
  { members, nowMs }: SignOutParts,
  { tenant }: BrowserFacts,
  { hint, goOnAt }: LogoutRequest,
  session: BrowserSession | undefined,
): Promise<PageAnswer> {
  const now = new Date(nowMs())
  if (session) {
    const { sessionId, member } = session
    await members.endSession(tenant.id, { memberId: member.id, sessionId, now })
  }
  // What the client itself got by that sign-in is over with it.
  if (hint) await members.endClientSessions(tenant.id, { ...hint, now })
  return {
    status: 303,
    headers: { location: goOnAt, 'set-cookie': members.sessionCookies(tenant, null) },
    body: '',
  }
}
