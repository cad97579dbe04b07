import type { Database } from '../foundation/database/index.ts'
import { tenancyTables } from './tables.ts'

export interface Hostname {
  host: string
  canonical: boolean
}

/** A tenant's canonical domain and aliases, by name. */
export async function listHostnames(db: Database, tenantId: string): Promise<Hostname[]> {
  return tenancyTables(db)
    .selectFrom('hostnames')
    .select(['host', 'canonical'])
    .where('tenant_id', '=', tenantId)
    .orderBy('host')
    .execute()
}

/** The slugs of the tenants that have hosts of these, by host. */
export async function findHostOwners(db: Database, hosts: readonly string[]): Promise<Map<string, string>> {
  if (hosts.length === 0) return new Map()
  const rows = await tenancyTables(db)
    .selectFrom('hostnames')
    .innerJoin('tenants', 'tenants.id', 'hostnames.tenant_id')
    .select(['hostnames.host', 'tenants.slug'])
    .where('host', 'in', hosts)
    .execute()
  return new Map(rows.map(({ host, slug }) => [host, slug]))
}

export async function insertHostname(db: Database, tenantId: string, hostname: Hostname): Promise<void> {
  await tenancyTables(db)
    .insertInto('hostnames')
    .values({ tenant_id: tenantId, ...hostname })
    .execute()
}

export async function deleteHostname(db: Database, tenantId: string, host: string): Promise<void> {
  await tenancyTables(db)
    .deleteFrom('hostnames')
    .where('tenant_id', '=', tenantId)
    .where('host', '=', host)
    .execute()
}
