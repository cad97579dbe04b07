import { isCovered, sharedDomain, siteOf } from '../addresses.ts'
import { bothWays, type Check, type Examined, type Finding, isOwnDomain, probeAlone } from './check.ts'

/** The Cookie Domain that the tenant should have: what site and tenant share, where they share one. */
function wantedDomain({ site, tenant }: Examined): string {
  return siteOf(site.host) === siteOf(tenant.domain)
    ? sharedDomain(site.host, tenant.domain)
    : siteOf(tenant.domain)
}

function findingOf(examined: Examined): Finding | undefined {
  const { site, tenant } = examined
  const { cookieDomain, domain } = tenant
  const change = `Set the Cookie Domain of tenant ${tenant.slug} to ${wantedDomain(examined)} (cookie_domain in the platform file). Whoever is signed in gets the shared cookie by signing in anew.`
  if (cookieDomain === null)
    return {
      code: 'cookie_domain_blank',
      severity: 'blocks',
      affects: bothWays,
      problem: `The Cookie Domain of tenant ${tenant.slug} is blank: the session cookie stays at ${domain}, and the probe and prompt=none answer that nobody is signed in, whoever is.`,
      change,
    }
  if (!isCovered(domain, cookieDomain))
    return {
      code: 'cookie_domain_not_covering',
      severity: 'blocks',
      affects: bothWays,
      problem: `The Cookie Domain ${cookieDomain} does not cover the tenant's own domain ${domain}: browsers refuse the session cookie.`,
      change,
    }
  if (siteOf(site.host) !== siteOf(domain) || isCovered(site.host, cookieDomain)) return undefined
  return {
    code: 'cookie_domain_not_covering',
    severity: 'blocks',
    affects: probeAlone,
    problem: `The Cookie Domain ${cookieDomain} does not cover ${site.host}: a script on the site can neither write, read nor clear the session cookie, so the SDK knows nobody there, even where a browser lets the probe answer.`,
    change,
  }
}

/** The session cookie has a Domain that covers site and tenant (interface 5). */
export const checkCookieDomain: Check = {
  name: 'cookie_domain',
  examine: examined => {
    if (isOwnDomain(examined)) return undefined
    const { site, tenant } = examined
    const finding = findingOf(examined)
    const covered = isCovered(site.host, tenant.cookieDomain ?? '') ? `${site.host} and ` : ''
    return {
      good: `The Cookie Domain ${tenant.cookieDomain} covers ${covered}${tenant.domain}.`,
      findings: finding ? [finding] : [],
    }
  },
}
