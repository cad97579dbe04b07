/** Where an authorization response goes: the redirect URI with parameters added to its own query, which stays as it is
 *  (RFC 6749 4.1.2 and 3.1.2). A parameter that is null is left out, an empty one is not. */
export function responseAddress(redirectUri: string, parameters: Record<string, string | null>): string {
  const added = Object.entries(parameters).flatMap(([name, value]) =>
    // Spaces as %20, which every decoder reads; "+" only some.
    value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  const separator = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?'
  return redirectUri + separator + added.join('&')
}
