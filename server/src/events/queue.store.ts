import type { QueueName } from '@usher/contract'
import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../foundation/database/index.ts'
import { logTables } from './log-tables.ts'

type QueueTables = {
  queue_tails: { tenant_id: string; queue: QueueName; active: boolean; position: number; day: string }
  queue_heads: { tenant_id: string; queue: QueueName; position: number; day: string }
  queue_removals: {
    tenant_id: string
    queue: QueueName
    key_hash: Buffer
    count: number
    first_id: string | null
    removed_at: Date
  }
}

/** Where a tenant's queue stands. What waits is at positions head+1 to tail. */
export interface QueuePositions {
  active: boolean
  head: number
  tail: number
  /** Days between which what waits was stored. */
  headDay: string
  tailDay: string
}

/** Makes both queues of a new tenant. */
export async function insertQueues(trx: DatabaseTransaction, tenantId: string): Promise<void> {
  const rows = (['events', 'heartbeats'] as const).map(queue => ({ tenant_id: tenantId, queue }))
  const db = trx.withTables<{
    queue_tails: { tenant_id: string; queue: QueueName }
    queue_heads: { tenant_id: string; queue: QueueName }
  }>()
  await db.insertInto('queue_tails').values(rows).execute()
  await db.insertInto('queue_heads').values(rows).execute()
}

/** Switches both queues. Under the tail's lock, so it holds exactly from one event to the next. */
export async function updateActive(
  trx: DatabaseTransaction,
  tenantId: string,
  active: boolean,
): Promise<void> {
  const db = trx.withTables<QueueTables>()
  await db.updateTable('queue_tails').set({ active }).where('tenant_id', '=', tenantId).execute()
}

const selectPositions = (db: Database, tenantId: string, queue: QueueName) =>
  db
    .withTables<QueueTables>()
    .selectFrom('queue_tails as t')
    .innerJoin('queue_heads as h', join =>
      join.onRef('h.tenant_id', '=', 't.tenant_id').onRef('h.queue', '=', 't.queue'),
    )
    .select(['t.active', 'h.position as head', 't.position as tail', 'h.day as headDay', 't.day as tailDay'])
    .where('t.tenant_id', '=', tenantId)
    .where('t.queue', '=', queue)

/** One statement, so head and tail are of one moment. Undefined for an unknown tenant. */
export function findPositions(
  db: Database,
  tenantId: string,
  queue: QueueName,
): Promise<QueuePositions | undefined> {
  return selectPositions(db, tenantId, queue).executeTakeFirst()
}

/** Locks the head until the transaction ends and answers where the queue stands. Consumers wait for
 *  each other here, and writers for none of them: the tail is read without a lock. After a wait the head
 *  is the newest, and the tail is at least what it was when the statement began, which is all that the
 *  caller can have read. */
export function lockHead(
  trx: DatabaseTransaction,
  tenantId: string,
  queue: QueueName,
): Promise<QueuePositions | undefined> {
  return selectPositions(trx, tenantId, queue).forUpdate('h').executeTakeFirst()
}

/** Moves a locked head. `day` is at or before the day of position + 1. */
export async function updateHead(
  trx: DatabaseTransaction,
  tenantId: string,
  queue: QueueName,
  position: number,
  day: string,
): Promise<void> {
  const db = trx.withTables<QueueTables>()
  await db
    .updateTable('queue_heads')
    .set({ position, day })
    .where('tenant_id', '=', tenantId)
    .where('queue', '=', queue)
    .execute()
}

/** A removal that an Idempotency-Key names. */
export interface Removal {
  keyHash: Buffer
  count: number
  firstId: string | null
}

/** What a removal has to know once it holds the head's lock. */
export interface RemovalFacts {
  /** What the key was used for before; null if it was not. */
  usedForCount: number | null
  usedForFirstId: string | null
  /** The id at the front, null when nothing waits. */
  frontId: string | null
  /** The day of the last position that is to go. */
  lastDay: string | null
}

/** A statement of its own after the lock: its snapshot sees what the one before committed. */
export async function findRemovalFacts(
  trx: DatabaseTransaction,
  tenantId: string,
  queue: QueueName,
  { positions, last, keyHash }: { positions: QueuePositions; last: number; keyHash: Buffer | null },
): Promise<RemovalFacts | undefined> {
  const { head, headDay, tailDay } = positions
  const at = (column: 'id' | 'day', position: number) => sql`(
    select ${sql.ref(column)} from ${sql.table(logTables[queue])}
    where tenant_id = ${tenantId} and position = ${position} and day between ${headDay} and ${tailDay})`
  const { rows } = await sql<RemovalFacts>`
    select r.count as "usedForCount", r.first_id as "usedForFirstId",
           ${at('id', head + 1)} as "frontId", ${at('day', last)} as "lastDay"
    from (select 1) one
    left join queue_removals r
      on r.tenant_id = ${tenantId} and r.queue = ${queue} and r.key_hash = ${keyHash}::bytea`.execute(trx)
  return rows[0]
}

/** Moves a locked head and remembers by which key: one statement, so that a removal takes no further round trip. */
export async function updateHeadAndRemember(
  trx: DatabaseTransaction,
  tenantId: string,
  queue: QueueName,
  { position, day }: { position: number; day: string },
  { keyHash, count, firstId }: Removal,
): Promise<void> {
  await sql`
    with moved as (
      update queue_heads set position = ${position}, day = ${day} where tenant_id = ${tenantId} and queue = ${queue}
    )
    insert into queue_removals (tenant_id, queue, key_hash, count, first_id)
    values (${tenantId}, ${queue}, ${keyHash}, ${count}, ${firstId})`.execute(trx)
}

/** Forgets the keys of removals before a time. Of all tenants: it is the platform's own upkeep. */
export async function deleteRemovalsBefore(db: Database, time: Date): Promise<void> {
  await db.withTables<QueueTables>().deleteFrom('queue_removals').where('removed_at', '<', time).execute()
}

/** A queue's depth and age, and how far consumers came. */
export interface QueueState {
  tenantId: string
  queue: QueueName
  depth: number
  /** Of the oldest that waits, whole seconds; null when nothing waits. */
  oldestAgeS: number | null
  headPosition: number
  tailPosition: number
}

/** The state of a tenant's queues, or of everybody's. Two rows and one index probe each: nothing is counted. */
export async function findQueueStates(db: Database, tenantId?: string): Promise<QueueState[]> {
  const ofTenant = tenantId === undefined ? sql`true` : sql`t.tenant_id = ${tenantId}`
  const states = (queue: QueueName) => sql`
    select t.tenant_id as "tenantId", t.queue, t.position - h.position as depth,
           h.position as "headPosition", t.position as "tailPosition",
           case when l.received_at is not null
             then greatest(0, floor(extract(epoch from now() - l.received_at)))::int end as "oldestAgeS"
    from queue_tails t
    join queue_heads h on h.tenant_id = t.tenant_id and h.queue = t.queue
    left join lateral (
      select received_at from ${sql.table(logTables[queue])} l
      where l.tenant_id = t.tenant_id and l.position = h.position + 1 and l.day between h.day and t.day
    ) l on t.position > h.position
    where t.queue = ${queue} and ${ofTenant}`
  const { rows } = await sql<QueueState>`${states('events')} union all ${states('heartbeats')}`.execute(db)
  return rows
}
