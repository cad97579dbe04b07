import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../foundation/database/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import { startDatabaseProxy } from '../testing/database-proxy.ts'
import { createTestTenant } from '../testing/tenant.ts'
import { stored, submission, useTestWriters } from '../testing/use-test-writers.ts'
import { appendToLog } from './log.store.ts'
import { writerConnections } from './log-writer.ts'

const given = useTestWriters()
const { openWriter, rowsOf } = given

describe('the writer (architecture, "The event path" 2 and 3)', () => {
  test("stores the others' events while one tenant's tail is locked, and its own when it is free", async () => {
    const [locked, free] = [
      await createTestTenant(given.database.db),
      await createTestTenant(given.database.db),
    ]
    const holder = new pg.Client({ connectionString: given.database.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select from queue_tails where tenant_id = $1 for update', [locked])
    const writer = openWriter()
    let isStored = false
    const waiting = writer.submit(submission(locked)).then(result => {
      isStored = true
      return result
    })
    for (let i = 0; i < 20; i++) {
      expect(await writer.submit(submission(free))).toEqual(stored)
      await delay(60)
    }
    expect(isStored).toBe(false)
    await holder.query('commit')
    expect(await waiting).toEqual(stored)
    expect(await rowsOf(locked)).toHaveLength(1)
    await holder.end()
  })

  test('a tail that stays locked is not taken for a database that is away', async () => {
    const [locked, free] = [
      await createTestTenant(given.database.db),
      await createTestTenant(given.database.db),
    ]
    const holder = new pg.Client({ connectionString: given.database.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select from queue_tails where tenant_id = $1 for update', [locked])
    const connections = openDatabase({
      url: given.database.url,
      maxConnections: writerConnections,
      statementTimeoutMs: 700,
      lockTimeoutMs: 200,
      applicationName: 'test writer',
    })
    const writer = openWriter({ append: appendToLog(connections.pool, 'events') })
    const waiting = writer.submit(submission(locked))
    // Nothing is committed for longer than what makes the writer refuse events.
    await delay(3_200)
    expect(await writer.submit(submission(free))).toEqual(stored)
    await holder.end()
    expect(await waiting).toEqual(stored)
    await writer.close()
    await connections.close()
  })

  test('parts a batch that PostgreSQL refuses, so that the neighbours of a bad event are stored', async () => {
    await sql`alter table event_log add constraint poison check (record not like '%poison%')`.execute(
      given.database.db,
    )
    const tenantId = await createTestTenant(given.database.db)
    const writer = openWriter()
    const mixed = submission(tenantId, { ids: [uuidv7(), uuidv7(), uuidv7()] })
    const poisoned = {
      ...mixed,
      records: mixed.records.map((text, at) => (at === 1 ? text.replace('"n', '"poison') : text)),
    }
    const results = await Promise.all([
      writer.submit(submission(tenantId)),
      writer.submit(poisoned),
      writer.submit(submission(tenantId, { note: 'poison' })),
      writer.submit(submission(tenantId)),
    ])
    await sql`alter table event_log drop constraint poison`.execute(given.database.db)
    expect(results).toEqual([
      stored,
      { duplicates: [], refused: [1] },
      { duplicates: [], refused: [0] },
      stored,
    ])
    const rows = await rowsOf(tenantId)
    expect(rows.map(row => row.position)).toEqual([1, 2, 3, 4])
  })

  test('refuses with 503 what goes past the bound of what waits, and keeps what it took', async () => {
    const tenantId = await createTestTenant(given.database.db)
    const writer = openWriter({ maxWaitingBytes: 5_000 })
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => writer.submit(submission(tenantId))),
    )
    const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
    expect(refused.length).toBeGreaterThan(0)
    for (const error of refused) expect(error).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(await rowsOf(tenantId)).toHaveLength(10 - refused.length)
    expect(await writer.submit(submission(tenantId))).toEqual(stored)
  })

  test('a database that is away for a moment delays the events and loses none', async () => {
    const tenantId = await createTestTenant(given.database.db)
    const proxy = await startDatabaseProxy(given.database.url)
    const pool = new pg.Pool({ connectionString: proxy.url })
    pool.on('error', () => {})
    const writer = openWriter({ append: appendToLog(pool, 'events') })
    await writer.submit(submission(tenantId))
    await proxy.cut()
    const waiting = Promise.all(Array.from({ length: 5 }, () => writer.submit(submission(tenantId))))
    await delay(300)
    await proxy.restore()
    expect(await waiting).toEqual(Array.from({ length: 5 }, () => stored))
    expect(await rowsOf(tenantId)).toHaveLength(6)
    await writer.close()
    await pool.end()
    await proxy.close()
  })

  test('a database that stays away is answered with 503 at the deadline, then at once, until it is back', async () => {
    const tenantId = await createTestTenant(given.database.db)
    const proxy = await startDatabaseProxy(given.database.url)
    const pool = new pg.Pool({ connectionString: proxy.url })
    pool.on('error', () => {})
    await proxy.cut()
    const writer = openWriter({ append: appendToLog(pool, 'events'), deadlineMs: 2_600 })
    const first = writer.submit(submission(tenantId)).catch(error => error)
    await delay(2_200)
    const startedAt = performance.now()
    await expect(writer.submit(submission(tenantId))).rejects.toMatchObject({ status: 503 })
    expect(performance.now() - startedAt).toBeLessThan(100)
    expect(await first).toMatchObject({ status: 503 })
    expect(writer.waitingBytes()).toBe(0)
    await proxy.restore()
    expect(await writer.submit(submission(tenantId))).toEqual(stored)
    await writer.close()
    await pool.end()
    await proxy.close()
  })

  test('a database that hangs is answered with 503 at the deadline', async () => {
    const tenantId = await createTestTenant(given.database.db)
    const proxy = await startDatabaseProxy(given.database.url)
    const pool = new pg.Pool({ connectionString: proxy.url, query_timeout: 1_000 })
    pool.on('error', () => {})
    const writer = openWriter({ append: appendToLog(pool, 'events'), deadlineMs: 600 })
    await writer.submit(submission(tenantId))
    await proxy.freeze()
    await expect(writer.submit(submission(tenantId))).rejects.toMatchObject({ status: 503 })
    await proxy.restore()
    await writer.close()
    expect(writer.waitingBytes()).toBe(0)
    await pool.end()
    await proxy.close()
  })
})
