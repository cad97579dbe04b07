import { isIP } from 'node:net'
import { getDomain } from 'tldts'

/** Why a tenant may not have this Cookie Domain (interface 5; RFC 6265 5.3), to be read after its name; undefined
 *  when it may. Both are host names in lower case. */
export function cookieDomainFault(cookieDomain: string, domain: string): string | undefined {
  if (domain !== cookieDomain && !domain.endsWith(`.${cookieDomain}`))
    return `must be the tenant's domain ${domain} or a parent of it, as browsers refuse any other`
  // Suffixes under which a company lets strangers register (github.io) are as public as those of registries.
  if (isIP(domain) !== 0 || getDomain(cookieDomain, { allowPrivateDomains: true }) === null)
    return 'is a public suffix or an address, under which anybody may have a host; browsers refuse it'
  return undefined
}
