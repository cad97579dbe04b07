import type { Database } from '../foundation/database/index.ts'
import type { Actor } from './audit.store.ts'
import { recordAudit } from './record-audit.ts'
import { findTenantName, updateSuspension } from './tenants.store.ts'

/** Suspends a tenant, so that all its addresses answer 403, or lets it go on; nothing of it is lost.
 *  False when it was so already, undefined when there is no such tenant. */
export async function suspendTenant(
  db: Database,
  { slug, suspend, actor, now }: { slug: string; suspend: boolean; actor: Actor; now: Date },
): Promise<boolean | undefined> {
  return db.transaction().execute(async trx => {
    const tenant = await findTenantName(trx, slug)
    if (!tenant) return undefined
    const changed = await updateSuspension(trx, tenant.id, suspend ? now : null)
    if (changed)
      await recordAudit(trx, {
        tenantId: tenant.id,
        actor,
        action: suspend ? 'tenant.suspended' : 'tenant.resumed',
        target: slug,
        at: now,
      })
    return changed
  })
}
