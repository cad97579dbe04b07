import type { Database } from '../foundation/database/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import { type Actor, insertAuditEntry } from './audit.store.ts'

/** Writes down who did what to what, from where and when, for good. Give it the transaction of the
 *  change itself, so that neither stands without the other. `tenantId` null is the platform. */
export async function recordAudit(
  trx: Database,
  entry: {
    tenantId: string | null
    actor: Actor
    action: string
    target: string
    details?: Record<string, unknown>
    address?: string | null
    at: Date
  },
): Promise<void> {
  const { tenantId, actor, action, target, at } = entry
  await insertAuditEntry(trx, tenantId, {
    id: uuidv7(),
    at,
    actor,
    action,
    target,
    details: entry.details ?? {},
    address: entry.address ?? null,
  })
}
