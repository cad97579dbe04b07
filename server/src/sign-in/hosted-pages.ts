import type { HostedPages } from '../oauth/index.ts'
import { beginFlow } from './begin-flow.ts'
import { showClientError, showProblem } from './problems.ts'
import type { SignInParts } from './sign-in-parts.ts'

/** The pages as authorize needs them (interface 4.6). */
export const hostedPages = (parts: SignInParts): HostedPages => ({
  begin: (browser, request) => beginFlow(parts, browser, request),
  showError: showClientError,
  showUnavailable: browser => showProblem(browser, 'unavailable'),
})
