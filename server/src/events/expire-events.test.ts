import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { createTestTenant } from '../testing/tenant.ts'
import { type ExpiredFromQueue, expireEvents, type TenantRetention } from './expire-events.ts'
import { appendToLog } from './log.store.ts'
import { dropPartition, finishDrops, listPartitions, makePartitions } from './partitions.store.ts'
import { dayAfter } from './prepare-logs.ts'
import { findPositions } from './queue.store.ts'
import { readQueue } from './read-queue.ts'
import { removeFromQueue } from './remove-from-queue.ts'
import { rewindQueue } from './rewind-queue.ts'

const now = new Date('2026-11-21T02:00:00Z')
let database: TestDatabase
let audited: ExpiredFromQueue[] = []
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  audited = []
  const days = Array.from({ length: 60 }, (_, at) => dayAfter(now, at - 50))
  for (const queue of ['events', 'heartbeats'] as const) await makePartitions(database.db, queue, days)
})

/** A tenant with an event on each of the days, given as days before now. */
async function tenantWith(
  daysBefore: readonly number[],
  queue: 'events' | 'heartbeats' = 'events',
): Promise<string> {
  const tenantId = await createTestTenant(database.db)
  for (const days of new Set(daysBefore)) {
    const ids = daysBefore.filter(day => day === days).map(() => uuidv7())
    const receivedAt = new Date(now.getTime() - days * 86_400_000).toISOString()
    await appendToLog(database.pool, queue)(
      {
        tenantIds: ids.map(() => tenantId),
        ids,
        receivedAt: ids.map(() => receivedAt),
        records: ids.map(id => `{"id":"${id}","day":${days},"created_at":"`),
      },
      true,
    )
  }
  return tenantId
}

const expire = (...tenants: TenantRetention[]) =>
  expireEvents({
    db: database.db,
    now,
    tenants,
    auditExpiry: async (_trx, expired) => void audited.push(expired),
  })

async function readDays(tenantId: string, queue: 'events' | 'heartbeats' = 'events'): Promise<number[]> {
  const { pieces } = await readQueue(database, tenantId, queue, 100)
  const text = (await Array.fromAsync(pieces)).join('')
  return JSON.parse(text).data.events.map((event: { day: number }) => event.day)
}

async function storedDays(tenantId: string): Promise<number[]> {
  const { rows } = await sql<{ day: number }>`
    select (record::json->>'day')::int as day from event_log where tenant_id = ${tenantId} order by position`.execute(
    database.db,
  )
  return rows.map(row => row.day)
}

describe('expiry (architecture, "The event path" 7)', () => {
  test('moves the head past what is older than the queue keeps, and says so', async () => {
    const tenantId = await tenantWith([40, 31, 30, 29, 0])
    await expire({ tenantId, retentionDays: 400, queueRetentionDays: 30 })
    expect(await readDays(tenantId)).toEqual([30, 29, 0])
    expect(audited).toEqual([
      { tenantId, queue: 'events', from: 0, position: 2, beforeDay: dayAfter(now, -30) },
    ])
    expect(await storedDays(tenantId)).toEqual([40, 31, 30, 29, 0])
  })

  test('changes nothing the second time', async () => {
    const tenantId = await tenantWith([40, 0])
    await expire({ tenantId, retentionDays: 400, queueRetentionDays: 30 })
    audited = []
    await expire({ tenantId, retentionDays: 400, queueRetentionDays: 30 })
    expect(audited).toEqual([])
    expect(await readDays(tenantId)).toEqual([0])
  })

  test('of a queue that is all old nothing is left, and what comes then is read', async () => {
    const tenantId = await tenantWith([45, 44])
    await expire({ tenantId, retentionDays: 400, queueRetentionDays: 30 })
    expect(await readDays(tenantId)).toEqual([])
    const id = uuidv7()
    await appendToLog(database.pool, 'events')(
      {
        tenantIds: [tenantId],
        ids: [id],
        receivedAt: [now.toISOString()],
        records: [`{"id":"${id}","day":0,"created_at":"`],
      },
      true,
    )
    expect(await readDays(tenantId)).toEqual([0])
  })

  test('what is out of the queue but kept can be rewound to', async () => {
    const tenantId = await tenantWith([40, 35, 1])
    await expire({ tenantId, retentionDays: 400, queueRetentionDays: 30 })
    await rewindQueue(
      database.db,
      tenantId,
      'events',
      { to: 0, keptFromDay: dayAfter(now, -400) },
      async () => {},
    )
    expect(await readDays(tenantId)).toEqual([40, 35, 1])
  })

  test("deletes what is older than a tenant's own retention, and leaves the others' alone", async () => {
    const short = await tenantWith([20, 11, 10, 0])
    const long = await tenantWith([20, 0])
    await expire(
      { tenantId: short, retentionDays: 10, queueRetentionDays: 30 },
      { tenantId: long, retentionDays: 400, queueRetentionDays: 30 },
    )
    expect(await storedDays(short)).toEqual([10, 0])
    expect(await readDays(short)).toEqual([10, 0])
    expect(await storedDays(long)).toEqual([20, 0])
    const positions = await findPositions(database.db, short, 'events')
    expect(positions).toMatchObject({ head: 2, tail: 4 })
  })

  test('drops the days that nobody keeps, after the heads have moved past them', async () => {
    const tenantId = await tenantWith([25, 21, 20, 0])
    await expire({ tenantId, retentionDays: 20, queueRetentionDays: 30 })
    const partitions = await listPartitions(database.db, 'events')
    expect(partitions[0]?.day).toBe(dayAfter(now, -20))
    expect(await readDays(tenantId)).toEqual([20, 0])
    const { rows } =
      await sql`select from pg_class where relname = ${`event_log_${dayAfter(now, -21).replaceAll('-', '')}`}`.execute(
        database.db,
      )
    expect(rows).toEqual([])
  })

  test('heartbeats are kept as long as their queue', async () => {
    const tenantId = await tenantWith([12, 9, 0], 'heartbeats')
    await expire({ tenantId, retentionDays: 400, queueRetentionDays: 10 })
    expect(await readDays(tenantId, 'heartbeats')).toEqual([9, 0])
    const [oldest] = await listPartitions(database.db, 'heartbeats')
    expect(oldest?.day).toBe(dayAfter(now, -10))
  })

  test('a consumer that reads while its days expire gets all or a broken answer, never a shorter one', async () => {
    // More than the first piece, which is read at once.
    const tenantId = await tenantWith([...Array<number>(1_100).fill(25), 0])
    const { count, pieces } = await readQueue(database, tenantId, 'events', 10_000)
    expect(count).toBe(1_101)
    await expire({ tenantId, retentionDays: 20, queueRetentionDays: 20 })
    await expect(Array.fromAsync(pieces)).rejects.toMatchObject({ status: 503 })
    expect(await readDays(tenantId)).toEqual([0])
  })

  test('a rewind goes back to what is kept, not to what expiry has not come to yet', async () => {
    const tenantId = await tenantWith([25, 19, 0])
    await removeFromQueue(database.db, tenantId, 'events', { count: 3 })
    await rewindQueue(
      database.db,
      tenantId,
      'events',
      { to: 0, keptFromDay: dayAfter(now, -20) },
      async () => {},
    )
    await expire({ tenantId, retentionDays: 20, queueRetentionDays: 20 })
    expect(await readDays(tenantId)).toEqual([19, 0])
  })

  test('brings a head forward whose events are gone', async () => {
    const tenantId = await tenantWith([25, 0])
    await sql`delete from event_log where tenant_id = ${tenantId} and position = 1`.execute(database.db)
    await expire({ tenantId, retentionDays: 20, queueRetentionDays: 20 })
    expect(await readDays(tenantId)).toEqual([0])
  })

  test('finishes what a killed process left half dropped', async () => {
    const name = `event_log_${dayAfter(now, -50).replaceAll('-', '')}`
    await sql`alter table event_log detach partition ${sql.table(name)}`.execute(database.db)
    await finishDrops(database.db, 'events')
    const { rows } = await sql`select from pg_class where relname = ${name}`.execute(database.db)
    expect(rows).toEqual([])
  })

  test('a dropped day can be made again', async () => {
    const day = dayAfter(now, -50)
    await dropPartition(database.db, 'events', `event_log_${day.replaceAll('-', '')}`)
    await makePartitions(database.db, 'events', [day])
    expect((await listPartitions(database.db, 'events'))[0]?.day).toBe(day)
  })
})
