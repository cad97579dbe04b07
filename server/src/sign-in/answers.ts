import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import type { Page, PageFrame } from './pages/layout.ts'
import { chooseLanguage, textsIn } from './texts/choose-language.ts'

/** Of every answer (decisions, "OAuth"): no address with a code leaks, and nothing is shown in another site's frame. */
const headers = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'SAMEORIGIN',
  'x-content-type-options': 'nosniff',
}

/** What a page for this browser looks like: the tenant's look, in the visitor's language. */
export function frameFor({
  tenant,
  acceptLanguage,
}: Pick<BrowserFacts, 'tenant' | 'acceptLanguage'>): PageFrame {
  const language = chooseLanguage(acceptLanguage, tenant.branding.languages)
  return { tenant, language, texts: textsIn(language) }
}

const withCookies = (cookies: readonly string[]) =>
  cookies.length > 0 ? { 'set-cookie': [...cookies] } : undefined

export function pageAnswer(
  { html, policy }: Page,
  {
    status = 200,
    cookies = [],
    retryAfterS,
  }: { status?: number; cookies?: readonly string[]; retryAfterS?: number } = {},
): PageAnswer {
  return {
    status,
    headers: {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
      ...withCookies(cookies),
    },
    body: html,
  }
}

/** 303, so that whatever was posted is not posted again (RFC 9700 4.12). */
export function redirectAnswer(location: string, cookies: readonly string[] = []): PageAnswer {
  return {
    status: 303,
    headers: {
      ...headers,
      'content-security-policy': "default-src 'none'; frame-ancestors 'self'",
      location,
      ...withCookies(cookies),
    },
    body: '',
  }
}
