import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findQueueStates } from '../events/index.ts'
import { countFailed, countPending, createJobs } from '../jobs/index.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../testing/database-proxy.ts'
import { createTestTenant } from '../testing/tenant.ts'
import { createHealth, type Health } from './index.ts'
import { addQueueMetrics } from './queue-metrics.ts'

const queues = ['high', 'bulk']
let database: TestDatabase
let proxy: DatabaseProxy
let health: Health
let registry: Registry
let tenant: string

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startDatabaseProxy(database.url)
  tenant = await createTestTenant(database.db)
  await sql`update queue_tails set position = 50 where queue = 'events'`.execute(database.db)
  const log = { debug() {}, warn() {} }
  const jobs = createJobs({ databaseUrl: database.url, queues, definitions: [], log })
  await jobs.start({ work: false })
  await jobs.stop(1_000)
  await sql`insert into pgboss.job (name, state, completed_on, keep_until) values
    ('high', 'created', null, now() + interval '1 year'), ('bulk', 'failed', now(), now())`.execute(
    database.db,
  )
})
beforeEach(() => {
  registry = new Registry()
  health = createHealth({
    databaseUrl: proxy.url,
    readQueueStates: findQueueStates,
    countPending: db => countPending(db, queues),
    countFailed,
  })
  health.addMetrics(registry)
})
afterEach(async () => {
  await proxy.restore()
  await health.close()
})
afterAll(async () => {
  await proxy.close()
  await database.drop()
})

async function scrape(from = registry): Promise<string[]> {
  return (await from.metrics()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
}
const all = () => [
  `usher_queue_depth{tenant="${tenant}",queue="events"} 50`,
  `usher_queue_depth{tenant="${tenant}",queue="heartbeats"} 0`,
  `usher_queue_oldest_age_seconds{tenant="${tenant}",queue="events"} 0`,
  `usher_queue_oldest_age_seconds{tenant="${tenant}",queue="heartbeats"} 0`,
  'usher_queues_omitted 0',
  'usher_jobs_pending{queue="high"} 1',
  'usher_jobs_pending{queue="bulk"} 0',
  'usher_jobs_failed 1',
  'usher_backend_reachable{backend="queues"} 1',
  'usher_backend_reachable{backend="jobs"} 1',
]
const unreachable = [
  'usher_backend_reachable{backend="queues"} 0',
  'usher_backend_reachable{backend="jobs"} 0',
]

describe('the metrics of queues and jobs', () => {
  test('are read when they are scraped', async () => {
    expect(await scrape()).toEqual(all())
  })

  test.for([
    ['away', () => proxy.cut()],
    ['hanging', () => proxy.freeze()],
  ] as const)('are left out while the database is %s, and back afterwards', async ([, begin]) => {
    expect(await scrape()).toEqual(all())
    await begin()
    const startedMs = performance.now()
    expect(await scrape()).toEqual(unreachable)
    expect(performance.now() - startedMs).toBeLessThan(2_000)
    await proxy.restore()
    await expect.poll(() => scrape(), { timeout: 8_000 }).toEqual(all())
  })

  test('show the deepest queues when there are too many', async () => {
    const small = new Registry()
    addQueueMetrics(small, {
      readQueueStates: () => findQueueStates(database.db),
      countPending: () => countPending(database.db, queues),
      countFailed: () => countFailed(database.db),
      maxQueues: 1,
    })
    const lines = await scrape(small)
    expect(lines.filter(line => line.startsWith('usher_queue'))).toEqual([
      `usher_queue_depth{tenant="${tenant}",queue="events"} 50`,
      `usher_queue_oldest_age_seconds{tenant="${tenant}",queue="events"} 0`,
      'usher_queues_omitted 1',
    ])
  })
})
