import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { leaveJob } from '../testing/left-jobs.ts'
import {
  acmeHost,
  consumer,
  degradedPlatform,
  degradedTenant,
  emptyPlatform,
  expectAnswer,
  expectDegraded,
  monitor,
  PLATFORM,
  reader,
  stranger,
  TENANT,
  token,
  useTestHealth,
} from '../testing/use-test-health.ts'

const given = useTestHealth()
const { platform, tenant, emptyTenant, recovered } = given

describe('GET /api/v1/landlord/health (interface 4.1)', () => {
  test('reports each configured queue and the failed jobs of 7 days', async () => {
    for (const state of ['created', 'created', 'retry', 'active', 'completed', 'cancelled'])
      await leaveJob(given.database.db, state, { queue: 'high' })
    await leaveJob(given.database.db, 'created', { queue: 'bulk' })
    await leaveJob(given.database.db, 'failed', { queue: 'default' })
    await leaveJob(given.database.db, 'failed', { queue: 'bulk', ago: '6 days 23 hours' })
    await leaveJob(given.database.db, 'failed', { queue: 'bulk', ago: '7 days 1 hour' })
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
    const answer = await given.app.get(PLATFORM, key === undefined ? {} : { key })
    const { message } = JSON.parse(answer.body) as { message: string }
    expectAnswer(answer, 401, { message })
    expect(message).toMatch(/\w/)
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  test("is not there on a tenant's host", async () => {
    expect((await given.app.get(PLATFORM, { host: acmeHost, key: monitor })).status).toBe(404)
  })

  test('has null for the failed jobs when they alone cannot be counted', async () => {
    await leaveJob(given.database.db, 'created', { queue: 'high' })
    await sql`alter table pgboss.job rename column completed_on to ended_on`.execute(given.database.db)
    const answer = await platform()
    await sql`alter table pgboss.job rename column ended_on to completed_on`.execute(given.database.db)
    expectAnswer(answer, 200, {
      ...emptyPlatform,
      queues: { ...emptyPlatform.queues, high: { pending: 1 } },
      failed_jobs: null,
    })
  })

  test('has null for the failed jobs when counting them alone takes too long', async () => {
    await leaveJob(given.database.db, 'failed', { queue: 'high' })
    // The column is computed when it is asked for, which the count of waiting jobs does not.
    await sql`alter table pgboss.job rename to job_kept`.execute(given.database.db)
    await sql`create view pgboss.job as select id, name, state, blocked,
      (select k.completed_on from pg_sleep(5)) as completed_on from pgboss.job_kept k`.execute(
      given.database.db,
    )
    const answer = await platform()
    await sql`drop view pgboss.job`.execute(given.database.db)
    await sql`alter table pgboss.job_kept rename to job`.execute(given.database.db)
    expectAnswer(answer, 200, { ...emptyPlatform, failed_jobs: null })
    expect(answer.ms).toBeLessThan(2_000)
  })

  test('is degraded while the background jobs have not been set up, and well once they are', async () => {
    await sql`alter schema pgboss rename to later`.execute(given.database.db)
    const answer = await platform()
    await sql`alter schema later rename to pgboss`.execute(given.database.db)
    expectDegraded(answer, degradedPlatform)
    await recovered()
  })

  test('is degraded while the tables of the jobs are locked, and well again afterwards', async () => {
    await platform()
    await given.database.db.transaction().execute(async trx => {
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
      where tenant_id = ${given.acme} and queue = ${queue}`.execute(given.database.db)
    await sql`update queue_heads set position = ${head} where tenant_id = ${given.acme} and queue = ${queue}`.execute(
      given.database.db,
    )
    const log = sql.table(queue === 'events' ? 'event_log' : 'heartbeat_log')
    await sql`insert into ${log} (tenant_id, day, id, position, received_at, record)
      values (${given.acme}, (now() at time zone 'utc')::date, gen_random_uuid(), ${head + 1},
        now() - make_interval(secs => ${ageS}), '{}')`.execute(given.database.db)
  }
  afterEach(async () => {
    for (const table of ['queue_tails', 'queue_heads'])
      await sql`update ${sql.table(table)} set position = 0, day = '-infinity'`.execute(given.database.db)
    await sql`truncate event_log, heartbeat_log`.execute(given.database.db)
  })

  test('reports what waits in both queues, with the flag off too', async () => {
    await put('events', 30, 7, 90.4)
    await put('heartbeats', 1, 0, 5.2)
    expectAnswer(await tenant(), 200, {
      status: 'ok',
      tenant: given.acme,
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
    expectAnswer(await given.app.get(TENANT, { key: reader }), 200, emptyTenant())
  })

  test("answers a platform key on the tenant's host, and 422 on the platform host", async () => {
    expectAnswer(await given.app.get(TENANT, { host: acmeHost, key: monitor }), 200, emptyTenant())
    const answer = await given.app.get(TENANT, { key: monitor })
    expect(answer.status).toBe(422)
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test.for([
    ['no key', 401, undefined],
    ['an unknown key', 401, token('unknown')],
    ['a key without health:read', 403, consumer],
    ['a key of another tenant', 403, stranger],
  ] as const)('answers %s with %i and a message', async ([, status, key]) => {
    const answer = await given.app.get(TENANT, { host: acmeHost, ...(key === undefined ? {} : { key }) })
    const { message } = JSON.parse(answer.body) as { message: string }
    expectAnswer(answer, status, { message })
  })

  test("is degraded while the queues' tables are locked, and well again afterwards", async () => {
    await tenant()
    await given.database.db.transaction().execute(async trx => {
      await sql`lock table queue_heads in access exclusive mode`.execute(trx)
      expectDegraded(await tenant(), degradedTenant(given.acme))
      expectAnswer(await platform(), 200, emptyPlatform)
    })
    await recovered()
  })
})
