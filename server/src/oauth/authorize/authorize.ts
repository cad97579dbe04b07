import type { Tenant } from '../../tenancy/index.ts'
import { tenantOrigin } from '../../tenancy/index.ts'
import type { AuthorizationRequest, BrowserFacts, HostedPages, PageAnswer } from '../authorization-request.ts'
import type { OAuthParts } from '../open-oauth.ts'
import { preferLocales } from '../prefer-locales.ts'
import { responseAddress } from '../response-address.ts'
import { answerSilently } from './answer-silently.ts'
import { type Fault, sentValue } from './asked.ts'
import { maxAgeOf } from './check-max-age.ts'
import { promptsOf } from './check-prompt.ts'
import { checks } from './checks.ts'
import { findAskingClient } from './find-asking-client.ts'
import { findHintedMember } from './find-hinted-member.ts'

export interface AuthorizeRequest {
  browser: BrowserFacts
  query: URLSearchParams
  /** The header Sec-Fetch-Dest. */
  fetchDest: string | undefined
}

/** Answers a browser that a client sent (interface 4.6 and 4.9; RFC 6749 4.1.1; OpenID Connect Core 3.1.2): an error page, a redirect with an
 *  error, a silent answer, or the page on which the member acts. */
export async function authorize(
  parts: OAuthParts & { pages: Pick<HostedPages, 'begin' | 'showError'> },
  { browser: asked, query, fetchDest }: AuthorizeRequest,
): Promise<PageAnswer> {
  const { tenant } = asked
  // More than a browser's own list has.
  const uiLocales = sentValue(query, 'ui_locales')?.slice(0, 200) ?? null
  const browser = { ...asked, acceptLanguage: preferLocales(asked.acceptLanguage, uiLocales) }
  const asking = await findAskingClient(parts.clients, tenant.id, query)
  if ('detail' in asking) return parts.pages.showError(browser, asking.detail)
  const { client, redirectUri } = asking
  const refuse = (fault: Fault) =>
    redirectTo(refusalAddress(parts.publicUrl, tenant, { redirectUri, query }, fault))

  for (const check of checks) {
    const fault = check({ client, query })
    if (fault) return refuse(fault)
  }

  const hinted = await findHintedMember(parts, tenant, { clientId: client.clientId, query })
  if ('error' in hinted) return refuse(hinted)

  const request: AuthorizationRequest = {
    clientId: client.clientId,
    redirectUri,
    state: query.get('state'),
    codeChallenge: sentValue(query, 'code_challenge') ?? null,
    scope: sentValue(query, 'scope') ?? null,
    nonce: sentValue(query, 'nonce') ?? null,
    maxAgeS: maxAgeOf(query),
    uiLocales,
    ...hinted,
  }
  const prompts = promptsOf(query)
  if (prompts.includes('none')) {
    const answer = await answerSilently(parts, { browser, request, fetchDest })
    return 'detail' in answer
      ? parts.pages.showError(browser, answer.detail)
      : 'error' in answer
        ? refuse(answer)
        : redirectTo(answer.address)
  }
  return parts.pages.begin(browser, {
    ...request,
    clientName: client.name,
    prompt: prompts.includes('login')
      ? 'login'
      : prompts.includes('select_account')
        ? 'select_account'
        : null,
    loginHint: sentValue(query, 'login_hint') ?? null,
  })
}

function refusalAddress(
  publicUrl: URL,
  tenant: Tenant,
  { redirectUri, query }: { redirectUri: string; query: URLSearchParams },
  { error, description }: Fault,
): string {
  return responseAddress(redirectUri, {
    error,
    error_description: description,
    // Of two states nobody knows which one the client means.
    state: query.getAll('state').length > 1 ? null : query.get('state'),
    iss: tenantOrigin(publicUrl, tenant.domain),
  })
}

const redirectTo = (location: string): PageAnswer => ({ status: 302, headers: { location }, body: '' })
