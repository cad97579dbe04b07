/** The scopes that mean something here (OpenID Connect Core 5.4). */
export const scopes = ['openid', 'profile', 'email'] as const

/** The scopes that a scope parameter names; text that names none counts for nothing (RFC 6749 3.3). */
export const readScopes = (scope: unknown): Set<string> =>
  new Set(typeof scope === 'string' ? scope.split(' ').filter(name => name !== '') : [])

/** What is granted of what a client asked for: of all that it knows, in one order; null without `openid`, as nothing
 *  else means anything without it. */
export function grantScope(asked: string | null): string | null {
  const names = readScopes(asked)
  return names.has('openid') ? scopes.filter(scope => names.has(scope)).join(' ') : null
}

/** Whether what was granted is other than what was asked for, so that the client has to be told (RFC 6749 5.1). */
export const isOtherScope = (asked: string | null, granted: string): boolean =>
  readScopes(asked).size !== readScopes(granted).size
