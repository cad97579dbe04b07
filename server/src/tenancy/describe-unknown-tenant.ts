import type { Database } from '../foundation/database/index.ts'
import { findNear } from '../foundation/find-near.ts'
import { listTenants } from './tenants.store.ts'

/** The sentence for a slug that no tenant has, with those that could be meant. */
export async function describeUnknownTenant(db: Database, slug: string): Promise<string> {
  const slugs = (await listTenants(db)).map(tenant => tenant.slug)
  const near = findNear(slug, slugs)
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''
  return `There is no tenant with the slug ${slug}.${hint}`
}
