import { hash } from 'node:crypto'
import { networkOf, type RateLimits } from '../../foundation/rate-limits/index.ts'
import type { Members } from '../../members/index.ts'
import type { AskingBrowser } from './probe.ts'

/** The limits of the session probe (interface 8). Each counts one request, and answers the seconds to wait when it was
 *  one too many, else 0. */
export interface ProbeLimits {
  countAddress(browser: AskingBrowser): number | Promise<number>
  countBrowser(browser: AskingBrowser, tenantId: string, clientId: string): number | Promise<number>
}

const windowS = 60
const perAddress = 600
const perBrowserAndClient = 120

export function createProbeLimits(
  rateLimits: RateLimits,
  members: Pick<Members, 'sessionCookieValues'>,
): ProbeLimits {
  const addresses = rateLimits.limit({ name: 'probe-address', most: perAddress, windowS })
  const browsers = rateLimits.limit({ name: 'probe-browser', most: perBrowserAndClient, windowS })

  /** A browser is its session cookie, or without one its address and user agent (decisions, "Silent sign-in"). Hashed:
   *  no token stays in memory for this. */
  function nameOf({ cookieHeader, address, userAgent }: AskingBrowser): string {
    const cookies = members.sessionCookieValues(cookieHeader)
    const known = cookies.length > 0 ? cookies.join(' ') : `${networkOf(address)} ${userAgent}`
    return hash('sha256', known, 'base64url')
  }

  return {
    countAddress: ({ address }) => addresses.count(networkOf(address)),
    countBrowser: (browser, tenantId, clientId) =>
      browsers.count(`${tenantId} ${clientId} ${nameOf(browser)}`),
  }
}
