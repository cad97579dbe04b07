/** The token of the member who is signed in, from the text of `document.cookie`; "" where nobody is. */
export function readMemberToken(cookies: string, cookieName: string): string {
  for (const cookie of cookies.split('; ')) {
    if (cookie.startsWith(`${cookieName}=`)) return cookie.slice(cookieName.length + 1)
  }
  return ''
}

/**
 * Tells tokens apart without being one: the end of the signature. It is kept beside each event, so that what was
 * tracked for one member is never sent with the token of another.
 */
export const markOf = (token: string): string => token.slice(-8).replace(/[^\w-]/g, '')
