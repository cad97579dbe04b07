/** Base64url without padding (RFC 4648 5). */
const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, char => ({ '+': '-', '/': '_' })[char] ?? '')

/** A word that nobody guesses, of 43 characters: 256 random bits. */
export const makeSecret = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)))

/** The code challenge of a verifier, by S256 (RFC 7636 4.2). */
export async function challengeOf(codeVerifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  return base64url(new Uint8Array(digest))
}
