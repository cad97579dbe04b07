import { findNear } from '../../foundation/find-near.ts'
import { bothWays, type Check, type Examined, type Finding, probeAlone } from './check.ts'

function findingOf({ host, tenant, tenantOrigin, aliases }: Examined): Finding | undefined {
  if (!host) return undefined
  const blocks = { severity: 'blocks', change: `Use ${tenantOrigin} on the site.` } as const
  if (host.host === tenant.domain) {
    if (host.origin === undefined || host.origin === tenantOrigin) return undefined
    return {
      ...blocks,
      code: 'host_origin_differs',
      affects: bothWays,
      problem: `Usher does not answer at ${host.origin}: the scheme or the port of ${tenantOrigin} is another.`,
    }
  }
  if (aliases.includes(host.host))
    return {
      ...blocks,
      code: 'host_is_alias',
      affects: probeAlone,
      problem: `${host.host} is an alias: it answers the probe with a redirect without CORS headers, which browsers report as a CORS error.`,
    }
  const near = findNear(host.host, [tenant.domain, ...aliases])
  return {
    ...blocks,
    code: 'host_not_of_tenant',
    affects: bothWays,
    problem: `${host.host} is no host of tenant ${tenant.slug}${near.length > 0 ? `, though nearly ${near[0]}` : ''}.`,
  }
}

/** The site asks at the canonical domain, where that was told (interface 4.8). */
export const checkHost: Check = {
  name: 'host',
  examine: examined => {
    if (!examined.host) return undefined
    const finding = findingOf(examined)
    return {
      good: `The site asks at ${examined.tenant.domain}, the tenant's canonical domain.`,
      findings: finding ? [finding] : [],
    }
  },
}
