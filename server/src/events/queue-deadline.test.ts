import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase } from '../foundation/database/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../testing/database-proxy.ts'
import { createTestTenant } from '../testing/tenant.ts'
import { appendToLog } from './log.store.ts'
import { prepareLogs } from './prepare-logs.ts'
import { findPositions } from './queue.store.ts'
import { readQueue } from './read-queue.ts'
import { removeFromQueue } from './remove-from-queue.ts'
import { rewindQueue } from './rewind-queue.ts'

let database: TestDatabase
let proxy: DatabaseProxy
let proxied: OpenDatabase
let tenantId: string
beforeAll(async () => {
  database = await createTestDatabase()
  await prepareLogs(database.db, new Date())
  tenantId = await createTestTenant(database.db)
  // More than an answer's first piece.
  const ids = Array.from({ length: 1_500 }, uuidv7)
  await appendToLog(database.pool, 'events')(
    {
      tenantIds: ids.map(() => tenantId),
      ids,
      receivedAt: ids.map(() => new Date().toISOString()),
      records: ids.map(id => `{"id":"${id}","created_at":"`),
    },
    true,
  )
  await removeFromQueue(database.db, tenantId, 'events', { count: 5 })
  proxy = await startDatabaseProxy(database.url)
  proxied = openDatabase({ url: proxy.url, maxConnections: 10, applicationName: 'test proxied' })
})
afterAll(async () => {
  await proxy.close()
  await proxied.close()
  await database.drop()
})

const request = { to: 0, keptFromDay: '-infinity' }

/** What a promise is rejected with, and after how long. */
async function refusal(promise: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const startedMs = performance.now()
  const error = await promise.then(
    () => 'not refused',
    error => error,
  )
  return { error, ms: performance.now() - startedMs }
}

describe('the deadline of a queue (architecture, "Failure")', () => {
  test('a database that hangs is answered with 503 within five seconds, whatever was asked', async () => {
    const { pieces } = await readQueue(proxied, tenantId, 'events', 1_400)
    // Connections that are open already: a new one would be given up sooner.
    await Promise.all(Array.from({ length: 8 }, () => proxied.pool.query('select pg_sleep(0.1)')))
    proxy.freeze()
    const refusals = await Promise.all(
      [
        readQueue(proxied, tenantId, 'events', 2),
        Array.fromAsync(pieces),
        removeFromQueue(proxied.db, tenantId, 'events', { count: 1 }),
        rewindQueue(proxied.db, tenantId, 'events', request, async () => {}),
      ].map(refusal),
    )
    for (const { error, ms } of refusals) {
      expect(error).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
      expect(ms).toBeLessThan(5_000)
    }
  })

  test('what was refused at its deadline changes nothing later', async () => {
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select from queue_heads where tenant_id = $1 for update', [tenantId])
    const refusals = await Promise.all(
      [
        removeFromQueue(database.db, tenantId, 'events', { count: 1 }),
        rewindQueue(database.db, tenantId, 'events', request, async () => {}),
      ].map(refusal),
    )
    for (const { error } of refusals) expect(error).toMatchObject({ status: 503 })
    await holder.end()
    // Behind the two that still wait for the lock, and removes one itself.
    await removeFromQueue(database.db, tenantId, 'events', { count: 1 })
    await expect
      .poll(() => findPositions(database.db, tenantId, 'events'))
      .toMatchObject({ head: 6, tail: 1_500 })
  })
})
