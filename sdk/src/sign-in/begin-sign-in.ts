import type { SignInOptions, SignInOutcome } from './api.ts'
import { keepFlow } from './flows.ts'
import type { Page } from './page.ts'
import { challengeOf, makeSecret } from './pkce.ts'
import { isNoted } from './silent-sign-in.ts'

/** Each within a minute of the one before. A visitor may change their mind a few times; a script has none to change. */
const MAX_REDIRECTS = 5
const MAX_SILENT_REDIRECTS = 2
const REDIRECTS_MS = 60_000
const NOTE = 'redirects'

/** Sends the browser to the tenant (interface 4.6, and 4.9 with `prompt: 'none'`), with state and a code challenge. */
export async function beginSignIn(
  page: Page,
  { top, self, location }: Pick<Window, 'top' | 'self' | 'location'>,
  { clientId, redirectUri, prompt, loginHint, scope, returnTo }: Partial<SignInOptions> = {},
): Promise<SignInOutcome> {
  const refuse = (
    reason: Extract<SignInOutcome, { status: 'refused' }>['reason'],
    words: string,
  ): SignInOutcome => {
    console.warn(`usher: signIn: ${words}`)
    return { status: 'refused', reason }
  }
  const isSilent = prompt === 'none'
  if (!clientId) return refuse('no_client_id', 'clientId is missing')
  if (!crypto.subtle) return refuse('insecure_page', 'PKCE needs https or localhost')
  if (top !== self) return refuse('frame', 'not in a frame')
  // The way back finds what is kept here on pages of this origin alone. What is no whole address is of none.
  if (!redirectUri || new URL(redirectUri, 'x://').origin !== location.origin)
    return refuse('other_origin', 'redirectUri is elsewhere')
  if (isSilent && isNoted(page, clientId)) return { status: 'refused', reason: 'login_required' }
  const redirects = Number(page.tabNotes.read(NOTE) ?? 0)
  if (redirects >= (isSilent ? MAX_SILENT_REDIRECTS : MAX_REDIRECTS))
    return refuse('loop', 'is completeSignIn called?')
  const flow = { state: makeSecret(), codeVerifier: makeSecret(), clientId, redirectUri, returnTo }
  const code_challenge = await challengeOf(flow.codeVerifier)
  if (!keepFlow(page.notes, flow)) return refuse('no_storage', 'no storage')
  page.tabNotes.write(NOTE, REDIRECTS_MS, redirects + 1)
  const query = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    state: flow.state,
    code_challenge,
    code_challenge_method: 'S256',
    prompt,
    login_hint: loginHint,
    scope,
  }
  // Through JSON, which leaves out what was not given.
  location.assign(`${page.origin}/oauth/authorize?${new URLSearchParams(JSON.parse(JSON.stringify(query)))}`)
  return { status: 'leaving' }
}
