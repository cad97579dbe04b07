import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { createTestTenant } from '../testing/tenant.ts'
import { appendToLog } from './log.store.ts'
import { createLogWriter } from './log-writer.ts'
import { listPartitions } from './partitions.store.ts'
import { dayAfter, prepareLogs } from './prepare-logs.ts'

const now = new Date()
const nextWeek = Array.from({ length: 9 }, (_, at) => dayAfter(now, at - 1))
let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

const daysOf = async (queue: 'events' | 'heartbeats') =>
  (await listPartitions(database.db, queue)).map(({ day }) => day)

test('partitions are made from yesterday to a week ahead, once, by several processes at the same time', async () => {
  const { db } = database
  await Promise.all([prepareLogs(db, now), prepareLogs(db, now), prepareLogs(db, now)])
  expect(await daysOf('events')).toEqual(nextWeek)
  expect(await daysOf('heartbeats')).toEqual(nextWeek)
})

test('a tenant whose tail a wrong clock brought 30 days ahead has its partition made, and goes on', async () => {
  const { db, pool } = database
  const tenantId = await createTestTenant(db)
  await prepareLogs(db, now)
  const ahead = dayAfter(now, 30)
  await sql`update queue_tails set day = ${ahead}, received_at = ${`${ahead}T12:00:00Z`}
    where tenant_id = ${tenantId} and queue = 'events'`.execute(db)
  const writer = createLogWriter({
    append: appendToLog(pool, 'events'),
    makePartitions: () => prepareLogs(db, new Date()),
  })
  const id = uuidv7()
  const answer = await writer.submit({
    tenantId,
    receivedAt: now.toISOString(),
    ids: [id],
    records: [`{"id":"${id}","created_at":"`],
  })
  await writer.close()
  expect(answer).toEqual({ duplicates: [], refused: [] })
  const { rows } = await sql`select id, day from event_log where tenant_id = ${tenantId}`.execute(db)
  expect(rows).toEqual([{ id, day: ahead }])
  expect(await daysOf('events')).toEqual([...nextWeek, ahead])
  expect(await daysOf('heartbeats')).toEqual(nextWeek)
})
