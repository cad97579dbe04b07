import type { Database } from '../foundation/database/index.ts'
import type { Actor } from './audit.store.ts'
import { listKeys, updateRevoked } from './keys.store.ts'
import { recordAudit } from './record-audit.ts'
import { lockTenancy } from './tenants.store.ts'

/** Revokes the live key of a name, of a tenant or with `null` of the platform; from then on its token is
 *  unknown, for good. False when no live key has the name. */
export async function revokeKey(
  db: Database,
  tenantId: string | null,
  { name, actor, now }: { name: string; actor: Actor; now: Date },
): Promise<boolean> {
  return db.transaction().execute(async trx => {
    await lockTenancy(trx)
    const live = (await listKeys(trx, tenantId)).find(key => key.name === name && key.revokedAt === null)
    if (!live) return false
    await updateRevoked(trx, tenantId, live.id, now)
    await recordAudit(trx, {
      tenantId,
      actor,
      action: 'key.revoked',
      target: name,
      details: { key_id: live.id },
      at: now,
    })
    return true
  })
}
