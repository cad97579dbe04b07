import { type Check, invalidRequest, sentValue } from './asked.ts'

/** SHA-256 in base64url without padding (RFC 7636 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/** A challenge is of S256, and there where the client requires PKCE (interface 4.6; RFC 7636 4.3 and 4.4.1; RFC 9700
 *  2.1.1). */
export const checkCodeChallenge: Check = ({ client, query }) => {
  const challenge = sentValue(query, 'code_challenge')
  const method = sentValue(query, 'code_challenge_method')
  if (challenge === undefined) {
    if (client.pkceRequired) return invalidRequest('code_challenge is missing: this client requires PKCE.')
    return method === undefined ? undefined : invalidRequest('code_challenge_method needs a code_challenge.')
  }
  if (method !== 'S256') return invalidRequest('code_challenge_method must be S256.')
  return CHALLENGE.test(challenge)
    ? undefined
    : invalidRequest('code_challenge must be a SHA-256 in base64url: 43 characters without padding.')
}
