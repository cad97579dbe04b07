import type { QueueName } from '@usher/contract'
import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import { logTables } from './log-tables.ts'

/** Rows that one statement deletes: short enough to hold nobody up. */
const deleteBatchRows = 5_000

/** Deletes a tenant's records from before a day, a batch a transaction. */
export async function deleteStoredBefore(
  db: Database,
  tenantId: string,
  queue: QueueName,
  day: string,
  signal?: AbortSignal,
): Promise<void> {
  const log = sql.table(logTables[queue])
  for (;;) {
    signal?.throwIfAborted()
    const { numAffectedRows } = await sql`
      delete from ${log} where (tenant_id, day, id) in (
        select tenant_id, day, id from ${log} where tenant_id = ${tenantId} and day < ${day} limit ${deleteBatchRows})
    `.execute(db)
    if (Number(numAffectedRows ?? 0) < deleteBatchRows) return
  }
}
