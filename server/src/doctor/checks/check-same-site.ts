import { getDomain } from 'tldts'
import { siteOf } from '../addresses.ts'
import { type Check, type Examined, type Finding, isOwnDomain, probeAlone } from './check.ts'

/** Why two hosts are two sites. */
function reasonOf(siteHost: string, tenantHost: string): string {
  const belongs = (host: string) =>
    siteOf(host) === host ? `${host} is a site of its own` : `${host} belongs to ${siteOf(host)}`
  const registered = getDomain(siteHost)
  // Without the suffixes of companies they would be one.
  const suffix =
    registered !== null && registered === getDomain(tenantHost)
      ? ` Whoever has a host below ${registered} is a stranger to the others there: it is a public suffix.`
      : ''
  return `${belongs(siteHost)}, and ${belongs(tenantHost)}: they are not same-site, so browsers send no session cookie with the probe.${suffix}`
}

function adviceFor({ site, tenant }: Examined): string {
  const elsewhere = 'From where it is, send the whole window to authorize with prompt=none instead.'
  const home = siteOf(tenant.domain)
  if (home === 'localhost' || home.endsWith('.localhost'))
    return `Open the site at a host below ${home}, which leads to this machine in browsers. ${elsewhere}`
  const own = siteOf(site.host)
  const orTenant = own === site.host && getDomain(own) === null ? '' : `, or the tenant a domain below ${own}`
  return `Give the site a host below ${home}${orTenant}. ${elsewhere}`
}

/** Browsers take site and tenant for one site, as far as their hosts go (interface 5; RFC 6265bis 5.2). */
export const checkSameSite: Check = {
  name: 'same_site',
  examine: examined => {
    if (isOwnDomain(examined)) return undefined
    const { site, tenant } = examined
    const findings: Finding[] =
      siteOf(site.host) === siteOf(tenant.domain)
        ? []
        : [
            {
              code: 'not_same_site',
              severity: 'blocks',
              affects: probeAlone,
              problem: reasonOf(site.host, tenant.domain),
              change: adviceFor(examined),
            },
          ]
    return {
      good: `${site.host} and ${tenant.domain} are same-site: both belong to ${siteOf(tenant.domain)}.`,
      findings,
    }
  },
}
