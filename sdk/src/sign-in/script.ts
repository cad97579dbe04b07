import { findPageCalls, type WaitingQuestion } from '../page-calls.ts'
import { memberCookieName, tenantAddress } from '../served.ts'
import { settle } from './settle.ts'
import { startSignIn } from './start-sign-in.ts'

/** What the server puts here when it serves the script. A copy that somebody else serves names a domain that browsers pass
 *  over. */
const cookieDomain = '{{cookie_domain}}'

void settle(() => {
  const calls = findPageCalls()
  const { p } = calls
  const waiting = Array.isArray(p) && p
  if (calls.member && !waiting) return
  const signIn = startSignIn({
    origin: tenantAddress(document.currentScript as HTMLScriptElement | null) ?? '',
    cookieName: memberCookieName,
    cookieDomain,
  })
  const answer = ([call, [given], resolve]: WaitingQuestion) => resolve(signIn[call](given as never))
  // Beside what the tracking file has put there. What the page has taken out of its own few lines still finds an answer.
  window.usher = Object.assign(calls, signIn, { p: { push: answer } })
  if (waiting) waiting.forEach(answer)
}, undefined)()
