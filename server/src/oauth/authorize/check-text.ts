import { type Check, invalidRequest } from './asked.ts'

/** What is kept until the member has acted is text that can be kept (RFC 6749 appendix A). */
export const checkText: Check = ({ query }) => {
  const name = ['state', 'scope', 'nonce', 'login_hint', 'ui_locales'].find(kept =>
    query.get(kept)?.includes('\0'),
  )
  return name === undefined ? undefined : invalidRequest(`${name} must not hold NUL.`)
}
