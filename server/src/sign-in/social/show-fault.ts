import type { BrowserFacts, PageAnswer } from '../../oauth/index.ts'
import { frameFor } from '../answers.ts'
import type { Flow } from '../flow.ts'
import { showSignIn } from '../show-sign-in.ts'
import type { SignInParts } from '../sign-in-parts.ts'
import type { FaultKind } from './provider-fault.ts'

/** Why an account at a provider does not sign anybody in. */
export type SocialFault = FaultKind | 'unverified' | 'taken'

/** With which status it is told. */
export const faultStatus: Readonly<Record<SocialFault, number>> = {
  denied: 403,
  refused: 503,
  away: 503,
  faulty: 400,
  unverified: 403,
  taken: 409,
}

/** What a member reads of it. */
export const faultText = (browser: BrowserFacts, fault: SocialFault, providerName: string): string =>
  frameFor(browser).texts.social[fault](providerName)

/** The sign-in page, which says what went wrong and offers every way again: the flow goes on. */
export const showSocialFault = (
  parts: SignInParts,
  browser: BrowserFacts,
  flow: Flow,
  { fault, providerName }: { fault: SocialFault; providerName: string },
): Promise<PageAnswer> =>
  showSignIn(parts, browser, flow, {
    fault: { text: faultText(browser, fault, providerName) },
    status: faultStatus[fault],
  })
