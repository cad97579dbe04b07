import type { HostedPages } from '../oauth/index.ts'
import { formToken, isOwnForm } from './account-form.ts'
import { frameFor, pageAnswer } from './answers.ts'
import { beginFlow } from './begin-flow.ts'
import { signOutPage } from './pages/sign-out-page.ts'
import { showClientError, showProblem } from './problems.ts'
import type { SignInParts } from './sign-in-parts.ts'

/** The pages as authorize and logout need them (interface 4.6). */
export const hostedPages = (parts: SignInParts): HostedPages => ({
  begin: (browser, request) => beginFlow(parts, browser, request),
  showError: showClientError,
  askToSignOut: (browser, { session, clientName, fields }) =>
    pageAnswer(
      signOutPage(frameFor(browser), {
        action: '/oauth/logout/confirm',
        email: session.member.email,
        clientName,
        fields: [...fields, ['form', formToken(parts, browser.tenant.id, session.sessionId)]],
      }),
    ),
  isOwnForm: (browser, session, token) => isOwnForm(parts, browser.tenant.id, session, token),
  showForeign: browser => showProblem(browser, 'foreign'),
  showUnavailable: browser => showProblem(browser, 'unavailable'),
})
