import type { OAuthParts } from '../open-oauth.ts'
import { findAsking } from './find-asking.ts'
import { issueProbeCode } from './issue-probe-code.ts'
import type { AskingBrowser, Probe } from './probe.ts'
import type { ProbeLimits } from './probe-limits.ts'

export type ProbeAnswer =
  /** Bare: nothing tells a stranger why. */
  | { kind: 'refused' }
  | { kind: 'unauthenticated' }
  | { kind: 'authenticated'; code: string }
  /** Too many requests. */
  | { kind: 'limited'; waitS: number; isRegistered: boolean }
  /** To be thrown; the database is away, for one. */
  | { kind: 'failed'; error: unknown; isRegistered: boolean }

export type ProbeParts = Pick<OAuthParts, 'clients' | 'members' | 'nowMs' | 'storeProbeCode'>

/** Answers "is anyone signed in on this browser?" (interface 4.8), in the order of decisions ("Silent sign-in"). Writes
 *  nothing but the code of a member who is. `isRegistered` says whether the origin may read the answer. */
export async function answerProbe(
  parts: ProbeParts & { limits: ProbeLimits },
  probe: Probe,
  browser: AskingBrowser,
): Promise<ProbeAnswer> {
  const { clients, members, limits } = parts
  const { tenant, origin } = probe
  let isRegistered = false
  try {
    const addressWaitS = await limits.countAddress(browser)
    const client = await findAsking(probe, clients.find)
    isRegistered = client !== undefined
    if (addressWaitS > 0) return { kind: 'limited', waitS: addressWaitS, isRegistered }
    if (!client) return { kind: 'refused' }

    const { clientId } = client
    const waitS = await limits.countBrowser(browser, tenant.id, clientId)
    if (waitS > 0) return { kind: 'limited', waitS, isRegistered }

    // Interface 5: the cookie is the exact host's, and says nothing elsewhere.
    if (tenant.cookieDomain === null) return { kind: 'unauthenticated' }
    const session = await members.findBrowserSession({ tenant, cookieHeader: browser.cookieHeader })
    if (!session) return { kind: 'unauthenticated' }
    return await issueProbeCode(parts, { tenant, clientId, origin, session })
  } catch (error) {
    // What was known of the client last says whether its page may read this.
    isRegistered ||= (await findAsking(probe, clients.last)) !== undefined
    return { kind: 'failed', error, isRegistered }
  }
}
