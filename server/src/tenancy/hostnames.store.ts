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

/** The host names of the whole platform, with the slugs of their tenants. */
export async function listHostOwners(db: Database): Promise<{ host: string; slug: string }[]> {
  return tenancyTables(db)
    .selectFrom('hostnames')
    .innerJoin('tenants', 'tenants.id', 'hostnames.tenant_id')
    .select(['hostnames.host', 'tenants.slug'])
    .execute()
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
