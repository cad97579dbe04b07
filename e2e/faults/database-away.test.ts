import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../server/src/testing/database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../server/src/testing/database-proxy.ts'
import type { Answer, Call } from './http-connection.ts'
import { openLedger } from './ledger.ts'
import { acme, globe } from './platform-file.ts'
import { residentMiB } from './resident-memory.ts'
import { startSending } from './send-events.ts'
import { type FaultPlatform, prepareFaultPlatform } from './start-fault-platform.ts'
import { startLoad } from './start-load.ts'
import { watchHealth } from './watch-health.ts'

/** The deadline of 5 seconds, and what a machine with much to do adds. */
const answeredWithinMs = 6_500
const awayMs = 7_000

const authorization = `Bearer ${acme.token}`
const calls: Record<string, Omit<Call, 'host'>> = {
  GET: { method: 'GET', path: '/api/platform/events', headers: { authorization } },
  DELETE: {
    method: 'DELETE',
    path: `/api/platform/events?count=1&first_id=${randomUUID()}`,
    headers: { authorization, 'idempotency-key': 'while-the-database-is-away' },
  },
}

describe('a database that is away (threats, "Faults")', () => {
  const ledgers = [openLedger(acme), openLedger(globe)]
  let database: TestDatabase
  let proxy: DatabaseProxy
  let platform: FaultPlatform
  beforeAll(async () => {
    database = await createTestDatabase()
    proxy = await startDatabaseProxy(database.url)
    platform = await prepareFaultPlatform({ USHER_DATABASE_URL: proxy.url, USHER_ROLE: 'http' })
  })
  afterEach(() => proxy.restore())
  afterAll(async () => {
    await platform?.close()
    await proxy?.close()
    await database?.drop()
  })

  const call = (asked: Omit<Call, 'host'>): Promise<Answer> => platform.call({ ...asked, host: acme.domain })
  const get = (path: string) => call({ method: 'GET', path, headers: { authorization } })

  test('is waited for at the start, with 503 meanwhile', async () => {
    await proxy.cut()
    await platform.startUntil(
      /^The database at \S+ cannot be reached: .+ Usher answers 503 and goes on when it comes\.$/,
    )
    expect(await get('/livez')).toMatchObject({ status: 200 })
    expect(await get('/readyz')).toMatchObject({ status: 503 })
    const health = await get('/api/v1/health')
    expect(health).toMatchObject({ status: 503 })
    expect(JSON.parse(health.body)).toMatchObject({
      status: 'degraded',
      tenant: '',
      store: { reachable: false },
    })
    for (const asked of Object.values(calls))
      expect(await call(asked)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    await delay(1_500)
    expect(platform.program().lines.join('\n')).not.toContain('Usher answers at')
    await proxy.restore()
    await platform.program().line(/^Usher answers at /)
    expect(await get('/readyz')).toMatchObject({ status: 200 })
  }, 60_000)

  test.for<[string, (proxy: DatabaseProxy) => unknown]>([
    ['refuses connections', proxy => proxy.cut()],
    ['hangs', proxy => proxy.freeze()],
    ['answers new connections only', proxy => proxy.strand()],
  ])(
    'that %s under a flood of requests: 503 in time, bounded memory, and back by itself',
    { timeout: 60_000 },
    async ([, takeAway]) => {
      const load = startLoad({ ledgers, ports: [platform.port] })
      const health = watchHealth(platform.port, globe)
      await load.untilAcknowledged(5_000)
      await delay(300)
      await takeAway(proxy)
      const floods = ledgers.map(ledger =>
        startSending({ ledger, ports: [platform.port], connections: 60, pauseMs: 0 }),
      )
      const single = Promise.all(Object.values(calls).map(call))
      let mostMiB = 0
      for (let second = 0; second < awayMs / 1_000; second++) {
        await delay(1_000)
        mostMiB = Math.max(mostMiB, residentMiB(platform.program().pid))
      }
      await proxy.restore()
      await load.untilAcknowledged(5_000)
      await health.until('ok', 5_000)
      await Promise.all(floods.map(flood => flood.stop()))
      expect(await load.settle(database.url)).toEqual([])
      for (const { wrong, slowestMs } of load.answers) {
        expect([...wrong]).toEqual([])
        expect(slowestMs).toBeLessThan(answeredWithinMs)
      }
      // A long answer of GET may break off in its middle; that of a POST is always whole.
      for (const { sending } of ledgers) expect(sending.broken).toBe(0)
      for (const { status, tookMs } of await single) {
        // Who gets a new connection is served; there is no such event to remove.
        expect([200, 409, 503]).toContain(status)
        expect(tookMs).toBeLessThan(answeredWithinMs)
      }
      expect(mostMiB).toBeLessThan(300)
      expect([...health.wrong]).toEqual([])
      expect(health.degraded).toBeGreaterThan(0)
      expect(health.slowestMs).toBeLessThan(2_000)
    },
  )
})
