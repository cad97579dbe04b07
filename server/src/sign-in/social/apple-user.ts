/** The name in the form field `user`, in which Apple tells it, the first time alone ("Request an authorization to the Sign in
 *  with Apple server"); null where there is none. Nobody has signed it: it is good for no more than to call a person by. */
export function nameOfAppleUser(field: string | null): string | null {
  try {
    const { firstName, lastName } = (JSON.parse(field ?? '') as AppleUser)?.name ?? {}
    return [firstName, lastName].filter(part => typeof part === 'string').join(' ') || null
  } catch {
    return null
  }
}

type AppleUser = { name?: { firstName?: unknown; lastName?: unknown } | null } | null
