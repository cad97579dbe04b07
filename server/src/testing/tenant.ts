import { insertQueues, updateActive } from '../events/queue.store.ts'
import type { Database } from '../foundation/database/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import { insertTenant } from '../tenancy/tenants.store.ts'

/** A tenant with both queues, for tests of stores; its flag is on unless told otherwise. */
export async function createTestTenant(db: Database, { active = true } = {}): Promise<string> {
  const id = uuidv7()
  await db.transaction().execute(async trx => {
    await insertTenant(trx, { id, slug: `t${id.replaceAll('-', '')}`, name: 'Test', createdAt: new Date() })
    await insertQueues(trx, id)
    await updateActive(trx, id, active)
  })
  return id
}
