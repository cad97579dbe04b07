import { DeadlineExceeded, withDeadline } from '../../foundation/deadline.ts'
import { unavailable } from '../../foundation/http/index.ts'
import type { BrowserSession } from '../../members/index.ts'
import type { Tenant } from '../../tenancy/index.ts'
import { codeLifetimeS, hashCode, makeCode } from '../authorization-code.ts'
import type { OAuthParts } from '../open-oauth.ts'

/** How long a page waits for the code to be stored: a visitor waits for the page. */
const deadlineMs = 2_000

/** Issues a code for the session of a browser (interface 2.7 and 4.10), as the client, its origins and the session are
 *  in the database at that moment, whatever was known of them. Throws 503 when the database is away. */
export async function issueProbeCode(
  { storeProbeCode, nowMs }: Pick<OAuthParts, 'storeProbeCode' | 'nowMs'>,
  asked: { tenant: Tenant; clientId: string; origin: string; session: BrowserSession },
): Promise<{ kind: 'authenticated'; code: string } | { kind: 'refused' } | { kind: 'unauthenticated' }> {
  const { tenant, clientId, origin, session } = asked
  const code = makeCode()
  const issuedAtMs = nowMs()
  const stored = storeProbeCode({
    tenantId: tenant.id,
    codeHash: hashCode(code),
    clientId,
    origin,
    memberId: session.member.id,
    sessionId: session.sessionId,
    issuedAt: new Date(issuedAtMs),
    expiresAt: new Date(issuedAtMs + codeLifetimeS.probe * 1_000),
  })
  const { isRegistered, isLive } = await withDeadline(deadlineMs, 'The database', () => stored).catch(
    (error: unknown) => {
      throw error instanceof DeadlineExceeded
        ? unavailable('The database does not answer. Try again shortly.', error)
        : error
    },
  )
  if (!isRegistered) return { kind: 'refused' }
  return isLive ? { kind: 'authenticated', code } : { kind: 'unauthenticated' }
}
