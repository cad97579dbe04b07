/** What can be told of a member beyond `sub`. */
export interface ToldMember {
  email: string
  name: string | null
  /** When one of them changed last: Unix seconds. */
  updatedAtS: number
}

/** The claims that scopes open (OpenID Connect Core 5.4): the same in an id_token and at userinfo. */
export function memberClaims(
  scopes: ReadonlySet<string>,
  { email, name, updatedAtS }: ToldMember,
): { email?: string; email_verified?: boolean; name?: string; updated_at?: number } {
  return {
    // Members sign in by mail, or by an address of which a provider says that it is verified.
    ...(scopes.has('email') && { email, email_verified: true }),
    ...(scopes.has('profile') && { ...(name !== null && { name }), updated_at: updatedAtS }),
  }
}
