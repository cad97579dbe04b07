import type { QueueName } from '@usher/contract'
import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import { logTables } from './log-tables.ts'

/** One partition of a log: a UTC day. */
export interface Partition {
  name: string
  day: string
}

/** The advisory lock under which partitions are made and dropped. */
const partitionsLock = 7_420_219_533

const nameOf = (queue: QueueName, day: string): string => `${logTables[queue]}_${day.replaceAll('-', '')}`

/** Makes the partitions of some days where they are missing. By CREATE and ATTACH, which lets reads and
 *  writes of the other partitions go on. Several processes may do so at once. */
export async function makePartitions(db: Database, queue: QueueName, days: readonly string[]): Promise<void> {
  const log = logTables[queue]
  for (const day of days) {
    const name = nameOf(queue, day)
    await db.transaction().execute(async trx => {
      await sql`select pg_advisory_xact_lock(${sql.lit(partitionsLock)})`.execute(trx)
      const { rows } = await sql`select from pg_class where oid = to_regclass(${name})`.execute(trx)
      if (rows.length > 0) return
      await sql`create table ${sql.table(name)} (like ${sql.table(log)} including all)`.execute(trx)
      await sql`alter table ${sql.table(log)} attach partition ${sql.table(name)}
        for values from (${sql.lit(day)}) to (date ${sql.lit(day)} + 1)`.execute(trx)
    })
  }
}

/** The days, from one on, on which the tails of queues stand, of all tenants. */
export async function listTailDaysFrom(db: Database, queue: QueueName, day: string): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    select distinct day from queue_tails where queue = ${queue} and day >= ${day} and day < 'infinity'
    order by day`.execute(db)
  return rows.map(row => row.day)
}

/** The partitions of a log, oldest first. */
export async function listPartitions(db: Database, queue: QueueName): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select c.relname as name, to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${logTables[queue]}::regclass and not i.inhdetachpending
    order by c.relname`.execute(db)
  return rows
}

/** Drops a partition. Detached concurrently first, so that no reader or writer waits; what an earlier
 *  try left half detached is finished. Not in a transaction: DETACH CONCURRENTLY cannot be in one. */
export async function dropPartition(db: Database, queue: QueueName, name: string): Promise<void> {
  await sql`alter table ${sql.table(logTables[queue])} detach partition ${sql.table(name)} concurrently`.execute(
    db,
  )
  await sql`drop table ${sql.table(name)}`.execute(db)
}

/** Finishes what a killed process left half done: a detach in progress, a detached table not dropped. */
export async function finishDrops(db: Database, queue: QueueName): Promise<void> {
  const log = logTables[queue]
  const pending = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${log}::regclass and i.inhdetachpending`.execute(db)
  for (const { name } of pending.rows)
    await sql`alter table ${sql.table(log)} detach partition ${sql.table(name)} finalize`.execute(db)
  const detached = await sql<{ name: string }>`
    select c.relname as name from pg_class c
    where c.relkind = 'r' and c.relname ~ ${`^${log}_[0-9]{8}$`} and c.relnamespace = current_schema()::regnamespace
      and not exists (select from pg_inherits i where i.inhrelid = c.oid)`.execute(db)
  for (const { name } of detached.rows) await sql`drop table ${sql.table(name)}`.execute(db)
}
