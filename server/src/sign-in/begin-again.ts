import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import { redirectAnswer } from './answers.ts'
import { beginFlow } from './begin-flow.ts'
import { findOwnFlow } from './find-flow.ts'
import { inLanguageOf } from './flow-language.ts'
import { showClientError, showExpired } from './problems.ts'
import type { SignInParts } from './sign-in-parts.ts'

const CLIENT_GONE =
  'The client was disabled, or its redirect_uri was removed, since the sign-in began. See the OAuth clients of the tenant.'

/** Begins a flow of this browser anew, with all that was asked for: also with the member whom an id_token_hint named, which
 *  no address could say again. The client may have changed meanwhile. */
export async function beginAgain(
  parts: SignInParts,
  browser: BrowserFacts,
  flowId: string,
): Promise<PageAnswer> {
  const flow = await findOwnFlow(parts, browser, flowId)
  if (!flow) return showExpired(browser)
  const spoken = inLanguageOf(flow, browser)
  const { request, prompt } = flow
  if (!request) return redirectAnswer('/account')
  const client = await parts.oauth.findClient(browser.tenant.id, request.clientId)
  if (!client?.enabled || !client.redirectUris.includes(request.redirectUri))
    return showClientError(spoken, CLIENT_GONE)
  return beginFlow(parts, spoken, { ...request, prompt, clientName: client.name, loginHint: null })
}
