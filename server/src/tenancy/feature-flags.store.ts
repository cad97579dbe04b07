import type { Flag } from '@usher/contract'
import type { Database } from '../foundation/database/index.ts'
import { tenancyTables } from './tables.ts'

/** The flags that are active for a tenant. */
export async function listActiveFlags(db: Database, tenantId: string): Promise<Set<string>> {
  const rows = await tenancyTables(db)
    .selectFrom('feature_flags')
    .select('flag')
    .where('tenant_id', '=', tenantId)
    .where('active', '=', true)
    .execute()
  return new Set(rows.map(row => row.flag))
}

export async function putFlag(
  db: Database,
  tenantId: string,
  flag: Flag,
  active: boolean,
  changedAt: Date,
): Promise<void> {
  const change = { active, changed_at: changedAt }
  await tenancyTables(db)
    .insertInto('feature_flags')
    .values({ tenant_id: tenantId, flag, ...change })
    .onConflict(conflict => conflict.columns(['tenant_id', 'flag']).doUpdateSet(change))
    .execute()
}
