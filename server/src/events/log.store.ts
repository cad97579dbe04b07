import type { QueueName } from '@usher/contract'
import type pg from 'pg'

/** What one call of `append` stores: events of any tenants, in the order that they were received. */
export interface LogBatch {
  tenantIds: readonly string[]
  ids: readonly string[]
  /** ISO 8601, as text that PostgreSQL reads. */
  receivedAt: readonly string[]
  /** JSON text without a line break and without the value of created_at, see event-record.ts. */
  records: readonly string[]
}

export interface AppendResult {
  /** Tenants whose tail another transaction held: nothing of theirs was stored. Null when none. */
  busyTenants: string[] | null
  /** Places in the batch, from 1, whose ids were stored before. Null when none. */
  duplicates: number[] | null
}

/** Stores a batch in one transaction. With `wait`, waits up to a second for locked tails. */
export type AppendToLog = (batch: LogBatch, wait: boolean) => Promise<AppendResult>

const appendFunctions: Record<QueueName, string> = {
  events: 'append_events',
  heartbeats: 'append_heartbeats',
}

/** The write of the event path. One call is one transaction and one round trip: the function locks the
 *  tails, then drops known ids, inserts and advances in a second statement (see its comments in
 *  0002_events.sql). The array literals are joined here because none of their parts needs quoting. */
export function appendToLog(pool: pg.Pool, queue: QueueName): AppendToLog {
  const name = appendFunctions[queue]
  const text = `select busy_tenants, duplicates from ${name}($1, $2, $3, $4, $5)`
  return async ({ tenantIds, ids, receivedAt, records }, wait) => {
    const { rows } = await pool.query<{ busy_tenants: string[] | null; duplicates: number[] | null }>({
      name,
      text,
      values: [
        `{${tenantIds.join()}}`,
        `{${ids.join()}}`,
        `{${receivedAt.join()}}`,
        records.join('\n'),
        wait,
      ],
    })
    const [row] = rows
    return { busyTenants: row?.busy_tenants ?? null, duplicates: row?.duplicates ?? null }
  }
}
