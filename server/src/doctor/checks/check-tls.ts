import { onThisMachine } from '../addresses.ts'
import { bothWays, type Check, type Examined, type Finding, isOwnDomain, probeAlone } from './check.ts'

function findingOf({ site, tenant, tenantOrigin }: Examined): Finding | undefined {
  const isTenantHttps = tenantOrigin.startsWith('https:')
  if (site.isHttps && isTenantHttps) return undefined
  if (isTenantHttps)
    return {
      code: 'site_without_tls',
      severity: 'blocks',
      affects: probeAlone,
      problem: `${site.origin} is under http and ${tenantOrigin} under https. For browsers these are two sites (same-site compares the scheme too), so they send no session cookie with the probe, and a page under http cannot read the cookie, which is Secure.`,
      change: `Serve the site under https, as https://${site.host}.`,
    }
  if (site.isHttps)
    return {
      code: 'tenant_without_tls',
      severity: 'blocks',
      affects: probeAlone,
      problem: `${site.origin} is under https and ${tenantOrigin} under http. Browsers do not let such a page ask there (mixed content), and take them for two sites.`,
      change: `Put a TLS proxy in front of Usher, and set USHER_PUBLIC_URL to its https address (docs/operating.md, “Behind a TLS proxy”)${
        onThisMachine(site.host) ? '; or, on this machine, open the site under http' : ''
      }.`,
    }
  if (onThisMachine(site.host) && onThisMachine(tenant.domain)) return undefined
  return {
    code: 'without_tls',
    severity: 'warns',
    affects: bothWays,
    problem: `${site.origin} and ${tenantOrigin} are under http: the session cookie and codes can be read on the way.`,
    change: 'Serve both under https.',
  }
}

/** Site and tenant are under the same scheme, and that is https (interface 5; schemeful same-site, mixed content). */
export const checkTls: Check = {
  name: 'tls',
  examine: examined => {
    if (isOwnDomain(examined)) return undefined
    const finding = findingOf(examined)
    return {
      good: examined.site.isHttps
        ? 'Site and tenant are under https.'
        : 'Site and tenant are under http, on this machine.',
      findings: finding ? [finding] : [],
    }
  },
}
