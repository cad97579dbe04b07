import type { QueueName } from '@usher/contract'
import { sql } from 'kysely'
import pg from 'pg'
import { copyOut, type Database } from '../foundation/database/index.ts'
import { logTables } from './log-tables.ts'

/** Positions after `after`, up to and with `upTo`, and the days between which they were stored. */
export interface LogRange {
  after: number
  upTo: number
  fromDay: string
  toDay: string
}

export interface LogEntry {
  id: string
  day: string
  receivedAt: Date
}

const inRange = (tenantId: string, { after, upTo, fromDay, toDay }: LogRange) => sql`
  tenant_id = ${tenantId} and position > ${after} and position <= ${upTo} and day between ${fromDay} and ${toDay}`

/** How many records a range holds and their bytes. */
export async function measureRange(
  db: Database,
  tenantId: string,
  queue: QueueName,
  range: LogRange,
): Promise<{ count: number; bytes: number }> {
  const { rows } = await sql<{ count: number; bytes: number }>`
    select count(*) as count, coalesce(sum(octet_length(record)), 0)::bigint as bytes
    from ${sql.table(logTables[queue])} where ${inRange(tenantId, range)}`.execute(db)
  return rows[0] ?? { count: 0, bytes: 0 }
}

/** The last position up to which a range's records fit into so many bytes; the first one always fits. */
export async function findLastFitting(
  db: Database,
  tenantId: string,
  queue: QueueName,
  range: LogRange,
  maxBytes: number,
): Promise<number> {
  const { rows } = await sql<{ position: number }>`
    select coalesce(max(position), ${range.after + 1})::bigint as position
    from (select position, sum(octet_length(record) + 1) over (order by position) as bytes
          from ${sql.table(logTables[queue])} where ${inRange(tenantId, range)}) r
    where bytes <= ${maxBytes}`.execute(db)
  return rows[0]?.position ?? range.after + 1
}

/** Calls back with a range's records, in order, as the bytes that are served. With the days as literals PostgreSQL
 *  knows the partitions while it plans and reads them in order; as parameters it sorts all that it read (27 ms of
 *  its processor for 10,000 records against 11, 2 cores). */
export function readRecords(
  pool: pg.Pool,
  tenantId: string,
  queue: QueueName,
  { after, upTo, fromDay, toDay }: LogRange,
  onRecord: (record: Buffer) => void,
): Promise<void> {
  const [tenant, first, last] = [tenantId, fromDay, toDay].map(pg.escapeLiteral)
  return copyOut(
    pool,
    `select record from ${logTables[queue]} where tenant_id = ${tenant} and day between ${first} and ${last}
     and position between ${BigInt(after) + 1n} and ${BigInt(upTo)} order by position`,
    onRecord,
  )
}

/** What stands at a position; undefined if it is no longer kept. The days bound the partitions searched. */
export async function findAtPosition(
  db: Database,
  tenantId: string,
  queue: QueueName,
  position: number,
  days: { fromDay: string; toDay: string },
): Promise<LogEntry | undefined> {
  const { rows } = await sql<LogEntry>`
    select id, day, received_at as "receivedAt" from ${sql.table(logTables[queue])}
    where ${inRange(tenantId, { after: position - 1, upTo: position, ...days })}`.execute(db)
  return rows[0]
}

/** The first position that was stored on a day or later; undefined when there is none. */
export async function findFirstPosition(
  db: Database,
  tenantId: string,
  queue: QueueName,
  fromDay: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ position: number | null }>`
    select min(position) as position from ${sql.table(logTables[queue])}
    where tenant_id = ${tenantId} and position is not null and day >= ${fromDay}`.execute(db)
  return rows[0]?.position ?? undefined
}
