import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findQueueStates } from '../events/index.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { createTestTenant } from '../testing/tenant.ts'
import { queueSampleJobs } from './index.ts'

let database: TestDatabase
let first: string
let second: string

beforeAll(async () => {
  database = await createTestDatabase()
  first = await createTestTenant(database.db)
  second = await createTestTenant(database.db)
})
afterEach(async () => {
  await sql`truncate queue_samples`.execute(database.db)
})
afterAll(() => database.drop())

async function run(name: string) {
  const job = queueSampleJobs(database.db, findQueueStates).find(definition => definition.name === name)
  await job?.run({}, { id: '', attempt: 1, signal: new AbortController().signal })
}
async function setPositions(tenantId: string, head: number, tail: number) {
  const where = sql`where tenant_id = ${tenantId} and queue = 'events'`
  await sql`update queue_tails set position = ${tail} ${where}`.execute(database.db)
  await sql`update queue_heads set position = ${head} ${where}`.execute(database.db)
}
/** Makes the samples that were taken look older. */
const age = (interval: string) =>
  sql`update queue_samples set taken_at = taken_at - ${interval}::interval`.execute(database.db)
async function samples(tenantId: string, queue: string) {
  const { rows } = await sql<{
    depth: number
    oldest_age_s: number | null
    head_position: number
    removed_per_s: number | null
  }>`
    select depth, oldest_age_s, head_position, removed_per_s from queue_samples
    where tenant_id = ${tenantId} and queue = ${queue} order by taken_at`.execute(database.db)
  return rows
}

describe('sample-queues', () => {
  test('runs every minute', () => {
    const [sample] = queueSampleJobs(database.db, findQueueStates)
    expect(sample).toMatchObject({ name: 'sample-queues', schedule: { everyS: 60 } })
  })

  test("keeps a row of each tenant's queues, with the rate at which consumers removed", async () => {
    await setPositions(first, 100, 400)
    await run('sample-queues')
    await age('1 minute')
    await setPositions(first, 700, 1_000)
    await run('sample-queues')
    const [before, after, ...more] = await samples(first, 'events')
    expect(more).toEqual([])
    expect(before).toMatchObject({ depth: 300, head_position: 100, removed_per_s: null })
    expect(after).toMatchObject({ depth: 300, head_position: 700 })
    expect(after?.removed_per_s).toBeGreaterThan(9.5)
    expect(after?.removed_per_s).toBeLessThanOrEqual(10)
    const idle = { depth: 0, oldest_age_s: null, head_position: 0 }
    for (const queue of ['events', 'heartbeats'])
      expect(await samples(second, queue)).toEqual([
        { ...idle, removed_per_s: null },
        { ...idle, removed_per_s: 0 },
      ])
  })

  test('has no rate where the head was moved back', async () => {
    await setPositions(first, 700, 1_000)
    await run('sample-queues')
    await age('1 minute')
    await setPositions(first, 200, 1_000)
    await run('sample-queues')
    expect(await samples(first, 'events')).toMatchObject([
      { depth: 300 },
      { depth: 800, removed_per_s: null },
    ])
  })

  test('asks no log how much it holds, however deep a queue is', async () => {
    await setPositions(first, 0, 1_000_000_000)
    await run('sample-queues')
    expect(await samples(first, 'events')).toMatchObject([{ depth: 1_000_000_000 }])
  })
})

describe('prune-queue-samples', () => {
  test('deletes what is older than 30 days', async () => {
    await run('sample-queues')
    await age('30 days 1 minute')
    await run('sample-queues')
    await age('5 minutes')
    await run('sample-queues')
    expect(await samples(first, 'events')).toHaveLength(3)
    await run('prune-queue-samples')
    expect(await samples(first, 'events')).toHaveLength(2)
  })
})
