import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  acmeHost,
  degradedPlatform,
  degradedTenant,
  expectAnswer,
  expectDegraded,
  PLATFORM,
  TENANT,
  useTestHealth,
} from '../testing/use-test-health.ts'

const given = useTestHealth()
const { platform, tenant, emptyTenant, recovered } = given

describe('while the database is', () => {
  const faults = [
    ['away', () => given.proxy.cut()],
    ['hanging', () => given.proxy.freeze()],
  ] as const

  test.for(faults)(
    '%s, both reports are degraded within 2 seconds, and well again by themselves',
    async ([, begin]) => {
      await recovered()
      await begin()
      for (let i = 0; i < 3; i++) {
        expectDegraded(await platform(), degradedPlatform)
        expectDegraded(await tenant(), degradedTenant(given.acme))
      }
      await given.proxy.restore()
      await recovered()
    },
  )

  test.for(faults)('%s, keys that were seen more than ten seconds ago still work', async ([, begin]) => {
    await recovered()
    given.clock.aheadMs = 10_100
    await begin()
    expectDegraded(await tenant(), degradedTenant(given.acme))
    expectDegraded(await platform(), degradedPlatform)
  })

  test.for(faults)('%s, a key that was never seen gets the degraded report of nobody', async ([, begin]) => {
    await begin()
    expectDegraded(await tenant(), degradedTenant(''))
    expectDegraded(await platform(), degradedPlatform)
    expect((await given.app.get(TENANT, { host: acmeHost })).status).toBe(401)
    expect((await given.app.get(PLATFORM)).status).toBe(401)
    await given.proxy.restore()
    await recovered()
  })

  test('lost without a word, new connections are opened', async () => {
    await recovered()
    given.proxy.strand()
    expectDegraded(await platform(), degradedPlatform)
    await recovered()
  })

  // Two seconds are the interface's; a machine that is busy with something else may need another try.
  test('hanging, 200 requests at once are answered in time and pile up no connections', {
    retry: 2,
  }, async () => {
    await recovered()
    const before = given.proxy.connections()
    given.proxy.freeze()
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? platform() : tenant())),
    )
    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(answer.ms).toBeLessThan(2_000)
    }
    // Four for health, and those that the edge looks keys up with.
    expect(given.proxy.connections()).toBeLessThanOrEqual(before + 8)
    await given.proxy.restore()
    await recovered()
  })

  test('locked in one place, others get their answer', async () => {
    await recovered()
    await given.database.db.transaction().execute(async trx => {
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
    given.proxy.freeze()
    for (const host of ['platform.localhost', acmeHost, 'unknown.example']) {
      const answer = await given.app.get('/livez', { host })
      expectAnswer(answer, 200, { status: 'ok' })
      expect(answer.ms).toBeLessThan(500)
    }
  })
})

describe('GET /readyz', () => {
  const away = { status: 'unavailable', message: 'The database cannot be reached.' }

  test('is 200 between start and stop, on any host', async () => {
    const starting = { status: 'unavailable', message: 'The service has not started yet.' }
    expectAnswer(await given.app.get('/readyz'), 503, starting)
    given.health.setStarted()
    for (const host of ['platform.localhost', acmeHost, 'unknown.example'])
      expectAnswer(await given.app.get('/readyz', { host }), 200, { status: 'ok' })
    given.health.setStopping()
    expectAnswer(await given.app.get('/readyz'), 503, {
      status: 'unavailable',
      message: 'The service is stopping.',
    })
  })

  test.for([
    ['away', () => given.proxy.cut()],
    ['hanging', () => given.proxy.freeze()],
    ['lost without a word', () => given.proxy.strand()],
  ] as const)('is 503 while the database is %s, and 200 again by itself', async ([, begin]) => {
    given.health.setStarted()
    expect((await given.app.get('/readyz')).status).toBe(200)
    await begin()
    const answer = await given.app.get('/readyz')
    expectDegraded(answer, away)
    await given.proxy.restore()
    await expect.poll(async () => (await given.app.get('/readyz')).status, { timeout: 8_000 }).toBe(200)
  })
})
