/** The site's own client at the tenant. */
export interface SiteClient {
  id: string
  secret: string
  /** The first one that is registered: codes of silent sign-in are stamped with it, though nobody is redirected. */
  redirectUri: string
}

/** What the tenant says of a member. */
export interface Member {
  id: string
  email: string
  name: string | null
}

export interface MemberTokens {
  /** Exchanges the code that `silentSignIn` gave a page; undefined where it is not good, or no longer. */
  exchange(code: string): Promise<string | undefined>
  /** Whose token it is; undefined when the member has signed out, wherever that was. */
  findMember(token: string): Promise<Member | undefined>
}

/** What the site's server asks of the tenant's domain. Throws when the tenant does not answer. */
export function openMemberTokens(origin: string, client: SiteClient): MemberTokens {
  /** The answer's JSON; undefined where its status is `refusal`. */
  async function ask(path: string, refusal: number, init: RequestInit): Promise<unknown> {
    const answer = await fetch(origin + path, { ...init, signal: AbortSignal.timeout(5_000) })
    if (!answer.ok && answer.status !== refusal) throw new Error(`${path} answered ${answer.status}.`)
    const body: unknown = await answer.json()
    return answer.ok ? body : undefined
  }

  return {
    async exchange(code) {
      const tokens = await ask('/oauth/token', 400, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          redirect_uri: client.redirectUri,
          client_id: client.id,
          client_secret: client.secret,
        }),
      })
      return (tokens as { access_token: string } | undefined)?.access_token
    },

    async findMember(token) {
      const found = await ask('/api/sdk/member', 401, { headers: { authorization: `Bearer ${token}` } })
      return (found as { data: Member } | undefined)?.data
    },
  }
}
