import { type Check, type Examined, type Finding, isOwnDomain, probeAlone } from './check.ts'

function* findingsOf(examined: Examined): Generator<Finding> {
  const { site, tenant, tenantOrigin, aliases } = examined
  if (site.written !== site.origin)
    yield {
      code: 'site_not_an_origin',
      severity: 'warns',
      affects: probeAlone,
      problem: `${site.written} is not written as browsers send it: they send ${site.origin}, which is what was looked at.`,
      change: `Write ${site.origin} where an origin is asked for: without path, slash or default port, in lower case.`,
    }
  if (isOwnDomain(examined))
    yield {
      code: 'site_is_tenant_domain',
      severity: 'blocks',
      affects: probeAlone,
      problem: `${site.origin} is the tenant's own domain. Browsers send no Origin with a GET to the own origin, so the probe is refused there.`,
      change: `Ask GET ${tenantOrigin}/api/sdk/member with the session cookie's token there, as the SDK does. The probe is for other origins.`,
    }
  else if (aliases.includes(site.host))
    yield {
      code: 'site_is_alias',
      severity: 'blocks',
      affects: probeAlone,
      problem: `${site.host} is an alias of tenant ${tenant.slug}: its pages redirect to ${tenantOrigin}, so no site stands there.`,
      change: `Name the address of the site itself; or, if it is to stand at ${site.host}, take that out of the tenant's aliases.`,
    }
}

/** The address is one at which a site can stand, and is written as an origin (decisions, "Addresses"). */
export const checkSite: Check = {
  name: 'site',
  examine: examined => ({
    good: `${examined.site.origin} is what browsers send as the site's origin.`,
    findings: [...findingsOf(examined)],
  }),
}
