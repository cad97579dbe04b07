import type { CompletedSignIn } from './api.ts'
import { takeFlow } from './flows.ts'
import type { Page } from './page.ts'
import { noteNo, noteOfNo } from './silent-sign-in.ts'

/** What an authorization response consists of (RFC 6749 4.1.2, RFC 9207). */
const ANSWERED = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

/** Reads the answer that the browser was sent back with, and takes it out of the address bar. What is neither of a sign-in
 *  that this browser began nor of this tenant's is left to whom it is for. */
export function completeSignIn(
  page: Page,
  { location, history }: Pick<Window, 'location' | 'history'>,
): CompletedSignIn {
  const url = new URL(location.href)
  const [code, state, iss, error, description] = ANSWERED.map(name => url.searchParams.get(name))
  if (!code && !error) return { status: 'none' }
  const flow = takeFlow(page.notes, state)
  if (!flow && iss !== page.origin) return { status: 'none' }
  for (const name of ANSWERED) url.searchParams.delete(name)
  history.replaceState(history.state, '', url)
  const fault =
    // Another site may have sent the browser here, to sign it in as somebody else (RFC 9700 4.7).
    !flow
      ? 'state_mismatch'
      : // The answer of another server to our question (RFC 9700 4.4).
        iss !== page.origin
        ? 'iss_mismatch'
        : error
  if (!flow || fault || !code) {
    if (flow && fault === 'login_required') noteNo(page, flow.clientId, page.mark())
    return { status: 'refused', error: fault || '', description, returnTo: flow?.returnTo }
  }
  page.notes.write(noteOfNo(flow.clientId), 0, '')
  return { status: 'authenticated', code, ...flow }
}
