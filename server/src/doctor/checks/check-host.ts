import { findNear } from '../../foundation/find-near.ts'
import type { AskedHost } from '../addresses.ts'
import { bothWays, type Check, type Examined, type Finding, probeAlone } from './check.ts'

/** Whether what was written of an address beside the host, if anything was, is the tenant's. */
function isAt({ origin, port }: AskedHost, tenantOrigin: string): boolean {
  if (origin !== undefined) return origin === tenantOrigin
  const tenant = new URL(tenantOrigin)
  return (
    port === undefined || Number(port) === Number(tenant.port || (tenant.protocol === 'https:' ? 443 : 80))
  )
}

function findingOf({ host, tenant, tenantOrigin, aliases }: Examined): Finding | undefined {
  if (!host) return undefined
  const use = `Use ${tenantOrigin} on the site.`
  const blocks = { severity: 'blocks', change: use } as const
  if (host.host === tenant.domain) {
    if (isAt(host, tenantOrigin)) return undefined
    return {
      ...blocks,
      code: 'host_origin_differs',
      affects: bothWays,
      problem: `Usher does not answer at ${host.origin ?? host.written}: the scheme or the port of ${tenantOrigin} is another.`,
    }
  }
  if (aliases.includes(host.host))
    return {
      ...blocks,
      change: `${use} A page that only loads the SDK's files from the alias works all the same, as they ask there by themselves: leave the host out.`,
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
