import type { Database } from '../foundation/database/index.ts'
import { createLookups, type Reachability } from '../foundation/lookups.ts'
import { hostOf, slugOfHost } from './host.ts'
import type { Site, Tenant } from './tenant.ts'
import { findTenantsByHost } from './tenants.store.ts'

export interface Sites {
  /** What the Host header of a request names. At once when it is known; only else a promise, which
   *  throws 503 when the database is away and the host was never seen. */
  resolve(hostHeader: string | undefined): Site | Promise<Site>
  /** Whether a Host header names the platform host; asks nobody. */
  isPlatform(hostHeader: string | undefined): boolean
  /** A tenant by its slug, that is by `{slug}.{platform host}`, which is always an alias. */
  resolveSlug(slug: string): Site | Promise<Site>
  invalidate(): void
}

/** Host headers that are remembered with what they name: reading one takes 1.3 µs, a look in a map 0.1. */
const MAX_HEADERS = 1_000

const PLATFORM: Site = { kind: 'platform' }
const UNKNOWN: Site = { kind: 'unknown' }

const toSite = (host: string, tenant: Tenant): Site => ({
  kind: 'tenant',
  tenant,
  canonical: tenant.domain === host,
})

/** Resolves hosts with a cache that lives at most a minute past a change of which nobody told, and
 *  goes on serving while the database is away. `platformHost` is lower case, without a port. */
export function createSites(options: {
  db: Database
  platformHost: string
  reachability: Reachability
  nowMs(): number
}): Sites {
  const { db, platformHost } = options
  const lookups = createLookups<Site>({
    async loadMany(hosts) {
      const slugHosts = new Map<string, string>()
      for (const host of hosts) {
        const slug = slugOfHost(host, platformHost)
        if (slug !== undefined) slugHosts.set(host, slug)
      }
      const tenants = await findTenantsByHost(db, hosts, slugHosts)
      return new Map([...tenants].map(([host, tenant]) => [host, toSite(host, tenant)]))
    },
    refreshAfterMs: 30_000,
    expireAfterMs: 60_000,
    maxEntries: 10_000,
    deadlineMs: 800,
    reachability: options.reachability,
    nowMs: options.nowMs,
  })

  async function load(host: string): Promise<Site> {
    try {
      return (await lookups.load(host)) ?? UNKNOWN
    } catch (error) {
      const stale = lookups.last(host)
      if (stale === undefined) throw error
      return stale.value ?? UNKNOWN
    }
  }

  const hosts = new Map<string, string>()
  function readHost(header: string | undefined): string | undefined {
    if (header === undefined) return undefined
    const known = hosts.get(header)
    if (known !== undefined) return known
    const host = hostOf(header)
    if (hosts.size >= MAX_HEADERS) hosts.clear()
    if (host !== undefined) hosts.set(header, host)
    return host
  }

  const resolveHost = (host: string): Site | Promise<Site> => {
    const recent = lookups.recent(host)
    return recent ? (recent.value ?? UNKNOWN) : load(host)
  }

  return {
    resolve(hostHeader) {
      const host = readHost(hostHeader)
      if (host === undefined) return UNKNOWN
      return host === platformHost ? PLATFORM : resolveHost(host)
    },
    isPlatform: hostHeader => readHost(hostHeader) === platformHost,
    resolveSlug: slug => resolveHost(`${slug}.${platformHost}`),
    invalidate: lookups.invalidate,
  }
}
