import type { Report } from './examine-silent-sign-in.ts'

/** What a browser showed of its session on the tenant's domain. `stale`: cookies that do not count. */
export type BrowserState =
  | { kind: 'none' }
  | { kind: 'stale'; cookies: number }
  | { kind: 'signed-in'; cookies: number; email: string }

/** How the live part can end: with what the site's script says of the probe, by itself where no cookie of the name is to
 *  be seen on the site, or without a word of it. */
export const outcomes = [
  'authenticated',
  'authenticated_without_cookie',
  'unauthenticated',
  'unauthenticated_without_cookie',
  'limited',
  'failed',
  'no_answer',
  'pop_up_blocked',
] as const
export type Outcome = (typeof outcomes)[number]

/** What an outcome means, in view of what else is known. */
export interface Meaning {
  mood: 'good' | 'bad'
  title: string
  sentences: readonly string[]
}

const SEE_ABOVE = 'The checks above say why, and what to change.'

function authenticated({ works, clientId }: Report): readonly string[] {
  return works
    ? [
        'The site was told that you are signed in, without a page and without a click.',
        `Asked with client ${clientId}. If your page greets nobody, compare its clientId, and the exchange on your server.`,
      ]
    : [
        'The probe was answered all the same, though the checks above say what is missing. What they name still stands in the way of other browsers or of the rest of the SDK; change it.',
      ]
}

function unauthenticated(report: Report, browser: BrowserState): readonly string[] {
  if (browser.kind !== 'signed-in')
    return [
      report.works
        ? 'That is right: this browser is not signed in here either. The probe was answered, so the way to it is free.'
        : `This browser is not signed in here either. ${SEE_ABOVE}`,
      `Sign in at ${report.tenantOrigin}/account, then check again.`,
    ]
  return report.works
    ? [
        'This browser is signed in here, but did not send its session cookie along with the probe.',
        'Look whether it blocks cookies for the site, runs a private window beside this one, or has an extension that does.',
      ]
    : ['This browser is signed in here, and the site was told that nobody is.', SEE_ABOVE]
}

function failed({ works, site, tenantOrigin }: Report): readonly string[] {
  return works
    ? [
        `The browser gave the site no answer to read, though every check above is passed. A change of the last seconds may not have arrived: check again.`,
        `Else look into the console of ${site.origin}: its own Content-Security-Policy must allow connect-src ${tenantOrigin}, and extensions that block trackers can stop the request.`,
      ]
    : ['The probe was refused, or was not sent, and the browser gave the site no answer to read.', SEE_ABOVE]
}

const WITHOUT_COOKIE =
  'The session cookie cannot be seen on the site: it was written before the Cookie Domain was what it is now, or that does not cover the site. Sign out and in again to have it written anew.'

/** What each outcome means for this site and this browser. */
export function interpretOutcomes(report: Report, browser: BrowserState): Record<Outcome, Meaning> {
  const { site } = report
  const yes = {
    mood: 'good',
    title: 'The site knows that you are signed in',
    sentences: authenticated(report),
  } as const
  const no = {
    mood: browser.kind === 'signed-in' ? 'bad' : 'good',
    title: 'The site was told that nobody is signed in',
    sentences: unauthenticated(report, browser),
  } as const
  const withoutCookie = browser.kind === 'signed-in' ? [WITHOUT_COOKIE] : []
  return {
    authenticated: yes,
    authenticated_without_cookie: { ...yes, sentences: [...yes.sentences, WITHOUT_COOKIE] },
    unauthenticated: no,
    unauthenticated_without_cookie: { ...no, sentences: [...no.sentences, ...withoutCookie] },
    limited: {
      mood: 'bad',
      title: 'Too many probes',
      sentences: [
        'This browser, or its network, asked more often than the limits allow (429). Wait a minute, then check again.',
        `If it happens again, a page of ${site.origin} asks in a loop.`,
      ],
    },
    failed: { mood: 'bad', title: 'The site got no answer', sentences: failed(report) },
    no_answer: {
      mood: 'bad',
      title: 'The page did not say anything',
      sentences: [
        `Most likely the sign-in file of the SDK is not on ${site.page}, or not loaded from ${report.tenantOrigin}.`,
        'Or the page leads to another address and drops what stands behind the #, or it sends Cross-Origin-Opener-Policy, which cuts it off from this window. Or you closed it.',
        'The lines below ask without the SDK: paste them into the developer console of that page.',
      ],
    },
    pop_up_blocked: {
      mood: 'bad',
      title: 'The browser did not open the window',
      sentences: [
        'Allow pop-ups for this page and press the button again. Or open the site yourself, and paste the lines below into its developer console.',
      ],
    },
  }
}

/** Lines for the developer console of a page of the site, which show what the probe answers there. */
export const consoleSnippet = ({ tenantOrigin, clientId }: Report): string =>
  `fetch(${JSON.stringify(`${tenantOrigin}/oauth/session?client_id=${encodeURIComponent(clientId)}`)}, { credentials: 'include' })
  .then(async answer => console.log(answer.status, (await answer.json()).status ?? ''))
  .catch(() => console.log('No answer to read: it was refused without CORS headers, redirected, or blocked.'))`
