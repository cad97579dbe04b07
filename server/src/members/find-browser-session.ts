import type { Tenant } from '../tenancy/index.ts'
import type { BrowserSession } from './member.ts'
import { cookieValues } from './session-cookies.ts'
import type { TokenVerifier } from './verify-member-token.ts'

/** Who is signed in on a browser (decisions, "Silent sign-in"): of all its session cookies, of the host and of its
 *  domains, the newest valid device token counts, so that one planted by a sibling host stands in nobody's way.
 *  Writes nothing. */
export async function findBrowserSession(
  { verifier, cookieName }: { verifier: TokenVerifier; cookieName: string },
  { tenant, cookieHeader }: { tenant: Tenant; cookieHeader: string | undefined },
): Promise<BrowserSession | undefined> {
  const tokens = cookieValues(cookieHeader, cookieName)
  if (tokens.length === 0) return undefined
  const verified = await Promise.all(
    tokens.map(token => verifier.verify({ tenant, token, kinds: ['device'], recent: true })),
  )
  const [newest] = verified
    .filter(one => one !== undefined)
    .toSorted((a, b) => b.token.issuedAt.getTime() - a.token.issuedAt.getTime())
  if (!newest) return undefined
  const { sessionId, sessionExpiresAt, signedInAt, member } = newest.state
  return { sessionId, member, signedInAt, expiresAt: sessionExpiresAt }
}
