import type { QueueName } from '@usher/contract'
import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import { logTables } from './log-tables.ts'

/** Rows that one statement deletes: short enough to hold nobody up. */
const deleteBatchRows = 5_000

/** The last position after `after` that was stored before a day; undefined when there is none. */
export async function findLastPositionBefore(
  db: Database,
  tenantId: string,
  queue: QueueName,
  after: number,
  day: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ position: number | null }>`
    select max(position) as position from ${sql.table(logTables[queue])}
    where tenant_id = ${tenantId} and position > ${after} and day < ${day}`.execute(db)
  return rows[0]?.position ?? undefined
}

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
