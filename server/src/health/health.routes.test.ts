import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventHooks, findQueueStates, prepareLogs } from '../events/index.ts'
import { countFailed, countPending, createJobs } from '../jobs/index.ts'
import { findTenantBySlug } from '../tenancy/index.ts'
import { startTestApp, type TestApp } from '../testing/app.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../testing/database-proxy.ts'
import { applyTestPlatform } from '../testing/platform.ts'
import { createHealth, type Health, healthRoutes } from './index.ts'

const PLATFORM = '/api/v1/landlord/health'
const TENANT = '/api/v1/health'
const queues = ['high', 'default', 'bulk']
const acmeHost = 'members.acme.localhost'
const token = (name: string) => `${name}-`.padEnd(40, 'x')
const monitor = token('monitor')
const reader = token('reader')
const consumer = token('consumer')
const stranger = token('stranger')

const file = `
operators: [ops@example.com]
platform_keys:
  - { name: monitor, operator: ops@example.com, token: ${monitor} }
tenants:
  - slug: acme
    name: Acme
    domain: ${acmeHost}
    staff: [{ email: admin@acme.example, role: administrator }]
    keys:
      - { name: reader, user: admin@acme.example, token: ${reader}, abilities: [health:read] }
      - { name: consumer, user: admin@acme.example, token: ${consumer}, abilities: [events:read] }
  - slug: other
    name: Other
    domain: members.other.localhost
    staff: [{ email: admin@other.example, role: administrator }]
    keys:
      - { name: stranger, user: admin@other.example, token: ${stranger} }
`

let database: TestDatabase
let proxy: DatabaseProxy
let health: Health
let app: TestApp
let acme: string
let aheadMs: number

beforeAll(async () => {
  database = await createTestDatabase()
  await applyTestPlatform(database, file, { hooks: eventHooks })
  acme = (await findTenantBySlug(database.db, 'acme'))?.id ?? ''
  await prepareLogs(database.db, new Date())
  const log = { debug() {}, warn() {} }
  const jobs = createJobs({ databaseUrl: database.url, queues, definitions: [], log })
  await jobs.start({ work: false })
  await jobs.stop(1_000)
  proxy = await startDatabaseProxy(database.url)
})
beforeEach(async () => {
  aheadMs = 0
  health = createHealth({
    databaseUrl: proxy.url,
    readQueueStates: findQueueStates,
    countPending: db => countPending(db, queues),
    countFailed,
  })
  app = await startTestApp(proxy.url, [healthRoutes(health)], () => Date.now() + aheadMs)
})
afterEach(async () => {
  await proxy.restore()
  await app.close()
  await health.close()
  await sql`delete from pgboss.job`.execute(database.db)
})
afterAll(async () => {
  await proxy.close()
  await database.drop()
})

const degradedPlatform = { status: 'degraded', queue: { reachable: false }, queues: {}, failed_jobs: null }
const emptyPlatform = {
  status: 'ok',
  queue: { reachable: true },
  queues: { high: { pending: 0 }, default: { pending: 0 }, bulk: { pending: 0 } },
  failed_jobs: 0,
}
const unknown = { depth: null, oldest_age_seconds: null }
const degradedTenant = (tenant: string) => ({
  status: 'degraded',
  tenant,
  store: { reachable: false },
  queues: { events: unknown, heartbeats: unknown },
})
const empty = { depth: 0, oldest_age_seconds: null }
const emptyTenant = () => ({
  status: 'ok',
  tenant: acme,
  store: { reachable: true },
  queues: { events: empty, heartbeats: empty },
})

const platform = () => app.get(PLATFORM, { key: monitor })
const tenant = () => app.get(TENANT, { host: acmeHost, key: reader })

/** What every answer of a health route has, and the body as the bytes that were sent. */
function expectAnswer(answer: Awaited<ReturnType<typeof platform>>, status: number, body: object) {
  expect(answer.status).toBe(status)
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.headers['x-request-id']).toMatch(/./)
  expect(answer.body).toBe(JSON.stringify(body))
}
/** A 503 within the two seconds that a monitor waits. */
function expectDegraded(answer: Awaited<ReturnType<typeof platform>>, body: object) {
  expectAnswer(answer, 503, body)
  expect(answer.ms).toBeLessThan(2_000)
}
async function recovered() {
  await expect.poll(async () => (await platform()).status, { timeout: 8_000 }).toBe(200)
  await expect.poll(async () => (await tenant()).status, { timeout: 8_000 }).toBe(200)
  expectAnswer(await platform(), 200, emptyPlatform)
  expectAnswer(await tenant(), 200, emptyTenant())
}

async function leaveJob(queue: string, state: string, ago = '1 minute') {
  await sql`insert into pgboss.job (name, state, completed_on, keep_until) values (${queue},
    ${state}::pgboss.job_state, case when ${state} = 'failed' then now() - ${ago}::interval end,
    now() + interval '1 year')`.execute(database.db)
}

describe('GET /api/v1/landlord/health (interface 4.1)', () => {
  test('reports each configured queue and the failed jobs of 7 days', async () => {
    for (const state of ['created', 'created', 'retry', 'active', 'completed', 'cancelled'])
      await leaveJob('high', state)
    await leaveJob('bulk', 'created')
    await leaveJob('default', 'failed')
    await leaveJob('bulk', 'failed', '6 days 23 hours')
    await leaveJob('bulk', 'failed', '7 days 1 hour')
    expectAnswer(await platform(), 200, {
      status: 'ok',
      queue: { reachable: true },
      queues: { high: { pending: 3 }, default: { pending: 0 }, bulk: { pending: 1 } },
      failed_jobs: 2,
    })
  })

  test.for([
    ['no key', undefined],
    ['an unknown key', token('unknown')],
    ['an organization key', reader],
    ['a key with a wrong checksum', 'usher_platform_abcdefghijklmnopqrstuvwxyz012345'],
  ] as const)('answers 401 with a message to %s', async ([, key]) => {
    const answer = await app.get(PLATFORM, key === undefined ? {} : { key })
    const { message } = JSON.parse(answer.body) as { message: string }
    expectAnswer(answer, 401, { message })
    expect(message).toMatch(/\w/)
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  test("is not there on a tenant's host", async () => {
    expect((await app.get(PLATFORM, { host: acmeHost, key: monitor })).status).toBe(404)
  })

  test('has null for the failed jobs when they alone cannot be counted', async () => {
    await leaveJob('high', 'created')
    await sql`alter table pgboss.job rename column completed_on to ended_on`.execute(database.db)
    const answer = await platform()
    await sql`alter table pgboss.job rename column ended_on to completed_on`.execute(database.db)
    expectAnswer(answer, 200, {
      ...emptyPlatform,
      queues: { ...emptyPlatform.queues, high: { pending: 1 } },
      failed_jobs: null,
    })
  })

  test('has null for the failed jobs when counting them alone takes too long', async () => {
    await leaveJob('high', 'failed')
    // The column is computed when it is asked for, which the count of waiting jobs does not.
    await sql`alter table pgboss.job rename to job_kept`.execute(database.db)
    await sql`create view pgboss.job as select id, name, state, blocked,
      (select k.completed_on from pg_sleep(5)) as completed_on from pgboss.job_kept k`.execute(database.db)
    const answer = await platform()
    await sql`drop view pgboss.job`.execute(database.db)
    await sql`alter table pgboss.job_kept rename to job`.execute(database.db)
    expectAnswer(answer, 200, { ...emptyPlatform, failed_jobs: null })
    expect(answer.ms).toBeLessThan(2_000)
  })

  test('is degraded while the background jobs have not been set up, and well once they are', async () => {
    await sql`alter schema pgboss rename to later`.execute(database.db)
    const answer = await platform()
    await sql`alter schema later rename to pgboss`.execute(database.db)
    expectDegraded(answer, degradedPlatform)
    await recovered()
  })

  test('is degraded while the tables of the jobs are locked, and well again afterwards', async () => {
    await platform()
    await database.db.transaction().execute(async trx => {
      await sql`lock table pgboss.job in access exclusive mode`.execute(trx)
      expectDegraded(await platform(), degradedPlatform)
      expectAnswer(await tenant(), 200, emptyTenant())
    })
    await recovered()
  })
})

describe('GET /api/v1/health (interface 4.3)', () => {
  async function put(queue: 'events' | 'heartbeats', tail: number, head: number, ageS: number) {
    await sql`update queue_tails set position = ${tail}, day = (now() at time zone 'utc')::date
      where tenant_id = ${acme} and queue = ${queue}`.execute(database.db)
    await sql`update queue_heads set position = ${head} where tenant_id = ${acme} and queue = ${queue}`.execute(
      database.db,
    )
    const log = sql.table(queue === 'events' ? 'event_log' : 'heartbeat_log')
    await sql`insert into ${log} (tenant_id, day, id, position, received_at, record)
      values (${acme}, (now() at time zone 'utc')::date, gen_random_uuid(), ${head + 1},
        now() - make_interval(secs => ${ageS}), '{}')`.execute(database.db)
  }
  afterEach(async () => {
    for (const table of ['queue_tails', 'queue_heads'])
      await sql`update ${sql.table(table)} set position = 0, day = '-infinity'`.execute(database.db)
    await sql`truncate event_log, heartbeat_log`.execute(database.db)
  })

  test('reports what waits in both queues, with the flag off too', async () => {
    await put('events', 30, 7, 90.4)
    await put('heartbeats', 1, 0, 5.2)
    expectAnswer(await tenant(), 200, {
      status: 'ok',
      tenant: acme,
      store: { reachable: true },
      queues: {
        events: { depth: 23, oldest_age_seconds: 90 },
        heartbeats: { depth: 1, oldest_age_seconds: 5 },
      },
    })
  })

  test('has null for the age in an empty queue', async () => {
    expectAnswer(await tenant(), 200, emptyTenant())
  })

  test('answers on the platform host, where the key names the tenant', async () => {
    expectAnswer(await app.get(TENANT, { key: reader }), 200, emptyTenant())
  })

  test("answers a platform key on the tenant's host, and 422 on the platform host", async () => {
    expectAnswer(await app.get(TENANT, { host: acmeHost, key: monitor }), 200, emptyTenant())
    const answer = await app.get(TENANT, { key: monitor })
    expect(answer.status).toBe(422)
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test.for([
    ['no key', 401, undefined],
    ['an unknown key', 401, token('unknown')],
    ['a key without health:read', 403, consumer],
    ['a key of another tenant', 403, stranger],
  ] as const)('answers %s with %i and a message', async ([, status, key]) => {
    const answer = await app.get(TENANT, { host: acmeHost, ...(key === undefined ? {} : { key }) })
    const { message } = JSON.parse(answer.body) as { message: string }
    expectAnswer(answer, status, { message })
  })

  test("is degraded while the queues' tables are locked, and well again afterwards", async () => {
    await tenant()
    await database.db.transaction().execute(async trx => {
      await sql`lock table queue_heads in access exclusive mode`.execute(trx)
      expectDegraded(await tenant(), degradedTenant(acme))
      expectAnswer(await platform(), 200, emptyPlatform)
    })
    await recovered()
  })
})

describe('while the database is', () => {
  const faults = [
    ['away', () => proxy.cut()],
    ['hanging', () => proxy.freeze()],
  ] as const

  test.for(faults)(
    '%s, both reports are degraded within 2 seconds, and well again by themselves',
    async ([, begin]) => {
      await recovered()
      await begin()
      for (let i = 0; i < 3; i++) {
        expectDegraded(await platform(), degradedPlatform)
        expectDegraded(await tenant(), degradedTenant(acme))
      }
      await proxy.restore()
      await recovered()
    },
  )

  test.for(faults)('%s, keys that were seen more than ten seconds ago still work', async ([, begin]) => {
    await recovered()
    aheadMs = 10_100
    await begin()
    expectDegraded(await tenant(), degradedTenant(acme))
    expectDegraded(await platform(), degradedPlatform)
  })

  test.for(faults)('%s, a key that was never seen gets the degraded report of nobody', async ([, begin]) => {
    await begin()
    expectDegraded(await tenant(), degradedTenant(''))
    expectDegraded(await platform(), degradedPlatform)
    expect((await app.get(TENANT, { host: acmeHost })).status).toBe(401)
    expect((await app.get(PLATFORM)).status).toBe(401)
    await proxy.restore()
    await recovered()
  })

  test('lost without a word, new connections are opened', async () => {
    await recovered()
    proxy.strand()
    expectDegraded(await platform(), degradedPlatform)
    await recovered()
  })

  // Two seconds are the interface's; a machine that is busy with something else may need another try.
  test('hanging, 200 requests at once are answered in time and pile up no connections', {
    retry: 2,
  }, async () => {
    await recovered()
    const before = proxy.connections()
    proxy.freeze()
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? platform() : tenant())),
    )
    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(answer.ms).toBeLessThan(2_000)
    }
    // Four for health, and those that the edge looks keys up with.
    expect(proxy.connections()).toBeLessThanOrEqual(before + 8)
    await proxy.restore()
    await recovered()
  })

  test('locked in one place, others get their answer', async () => {
    await recovered()
    await database.db.transaction().execute(async trx => {
      await sql`lock table pgboss.job in access exclusive mode`.execute(trx)
      const [answer] = await Promise.all([tenant(), ...Array.from({ length: 20 }, platform)])
      expectAnswer(answer, 200, emptyTenant())
      const { rows } = await sql<{ connections: number }>`select count(*) as connections from pg_stat_activity
        where datname = current_database() and application_name = 'usher health'`.execute(trx)
      expect(rows[0]?.connections).toBeLessThanOrEqual(4)
    })
  })
})

describe('GET /livez', () => {
  test('is 200 on any host, also while the database hangs', async () => {
    proxy.freeze()
    for (const host of ['platform.localhost', acmeHost, 'unknown.example']) {
      const answer = await app.get('/livez', { host })
      expectAnswer(answer, 200, { status: 'ok' })
      expect(answer.ms).toBeLessThan(500)
    }
  })
})

describe('GET /readyz', () => {
  const away = { status: 'unavailable', message: 'The database cannot be reached.' }

  test('is 200 between start and stop, on any host', async () => {
    const starting = { status: 'unavailable', message: 'The service has not started yet.' }
    expectAnswer(await app.get('/readyz'), 503, starting)
    health.setStarted()
    for (const host of ['platform.localhost', acmeHost, 'unknown.example'])
      expectAnswer(await app.get('/readyz', { host }), 200, { status: 'ok' })
    health.setStopping()
    expectAnswer(await app.get('/readyz'), 503, {
      status: 'unavailable',
      message: 'The service is stopping.',
    })
  })

  test.for([
    ['away', () => proxy.cut()],
    ['hanging', () => proxy.freeze()],
    ['lost without a word', () => proxy.strand()],
  ] as const)('is 503 while the database is %s, and 200 again by itself', async ([, begin]) => {
    health.setStarted()
    expect((await app.get('/readyz')).status).toBe(200)
    await begin()
    const answer = await app.get('/readyz')
    expectDegraded(answer, away)
    await proxy.restore()
    await expect.poll(async () => (await app.get('/readyz')).status, { timeout: 8_000 }).toBe(200)
  })
})
