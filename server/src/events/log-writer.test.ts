import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../foundation/database/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { startDatabaseProxy } from '../testing/database-proxy.ts'
import { createTestTenant } from '../testing/tenant.ts'
import { appendToLog } from './log.store.ts'
import { createLogWriter, type LogWriter, type LogWriterOptions, writerConnections } from './log-writer.ts'
import { prepareLogs } from './prepare-logs.ts'
import { updateActive } from './queue.store.ts'
import type { Submission } from './submission.ts'

let database: TestDatabase
const writers: LogWriter[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  await prepareLogs(database.db, new Date())
})
afterEach(async () => {
  for (const writer of writers.splice(0)) await writer.close()
})
afterAll(() => database.drop())

function openWriter(options: Partial<LogWriterOptions> = {}): LogWriter {
  const writer = createLogWriter({
    append: appendToLog(database.pool, 'events'),
    makePartitions: () => prepareLogs(database.db, new Date()),
    ...options,
  })
  writers.push(writer)
  return writer
}

let count = 0
function submission(tenantId: string, given: Partial<Submission> & { note?: string } = {}): Submission {
  const ids = given.ids ?? [uuidv7()]
  const { note = `n${count++}` } = given
  return {
    tenantId,
    receivedAt: given.receivedAt ?? new Date().toISOString(),
    ids,
    records: ids.map(id => `{"id":"${id}","note":"${note}","created_at":"`),
  }
}

interface Row {
  id: string
  position: number | null
  day: string
  note: string
  created_at: string
}

async function rowsOf(tenantId: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select id, position, day, record::json->>'note' as note, record::json->>'created_at' as created_at
    from event_log where tenant_id = ${tenantId} order by position nulls last, received_at, id`.execute(
    database.db,
  )
  return rows
}

const stored = { duplicates: [], refused: [] }

describe('the writer (architecture, "The event path" 2 and 3)', () => {
  test('stores every event once, with dense positions in the order of submission', async () => {
    const tenantId = await createTestTenant(database.db)
    const writer = openWriter()
    const submissions = Array.from({ length: 200 }, () => submission(tenantId, { ids: [uuidv7(), uuidv7()] }))
    const results = await Promise.all(submissions.map(writer.submit))
    expect(results).toEqual(submissions.map(() => stored))
    const rows = await rowsOf(tenantId)
    expect(rows.map(row => row.position)).toEqual(Array.from({ length: 400 }, (_, at) => at + 1))
    expect(rows.map(row => row.id)).toEqual(submissions.flatMap(({ ids }) => ids))
    expect(writer.waitingBytes()).toBe(0)
  })

  test('gathers what arrives during a commit into the next transaction', async () => {
    const tenantId = await createTestTenant(database.db)
    const commits: number[] = []
    const writer = openWriter({ onCommit: events => commits.push(events) })
    const first = writer.submit(submission(tenantId))
    await delay(0)
    await Promise.all([first, ...Array.from({ length: 50 }, () => writer.submit(submission(tenantId)))])
    expect(commits).toEqual([1, 50])
  })

  test('knows an id that stands in the log, in the batch, and in one request', async () => {
    const tenantId = await createTestTenant(database.db)
    const writer = openWriter()
    const [a, b] = [uuidv7(), uuidv7()]
    await writer.submit(submission(tenantId, { ids: [a] }))
    const again = writer.submit(submission(tenantId, { ids: [a, b, b] }))
    const twice = writer.submit(submission(tenantId, { ids: [b] }))
    expect(await again).toEqual({ duplicates: [2, 0], refused: [] })
    expect(await twice).toEqual({ duplicates: [0], refused: [] })
    expect((await rowsOf(tenantId)).map(({ id, position }) => [id, position])).toEqual([
      [a, 1],
      [b, 2],
    ])
  })

  test('keeps the ids of tenants apart', async () => {
    const [one, other] = [await createTestTenant(database.db), await createTestTenant(database.db)]
    const writer = openWriter()
    const ids = [uuidv7()]
    const results = await Promise.all([
      writer.submit(submission(one, { ids })),
      writer.submit(submission(other, { ids })),
    ])
    expect(results).toEqual([stored, stored])
    expect([await rowsOf(one), await rowsOf(other)].map(rows => rows.length)).toEqual([1, 1])
  })

  test('gives no position while the flag is off, exactly from one event to the next', async () => {
    const tenantId = await createTestTenant(database.db, { active: false })
    const writer = openWriter()
    const set = (active: boolean) =>
      database.db.transaction().execute(trx => updateActive(trx, tenantId, active))
    await writer.submit(submission(tenantId, { note: 'off' }))
    await set(true)
    await writer.submit(submission(tenantId, { note: 'on' }))
    await set(false)
    await writer.submit(submission(tenantId, { note: 'off again' }))
    await set(true)
    await writer.submit(submission(tenantId, { note: 'on again' }))
    expect((await rowsOf(tenantId)).map(({ note, position }) => [note, position])).toEqual([
      ['on', 1],
      ['on again', 2],
      ['off', null],
      ['off again', null],
    ])
  })

  test('two processes that write for one tenant give every position once, without gaps', async () => {
    const tenantId = await createTestTenant(database.db)
    const [one, other] = [openWriter(), openWriter()]
    const waves = Array.from({ length: 40 }, async (_, wave) => {
      await delay(wave * 3)
      const given = [submission(tenantId), submission(tenantId)] as const
      return Promise.all([one.submit(given[0]), other.submit(given[1])])
    })
    expect((await Promise.all(waves)).flat()).toEqual(Array.from({ length: 80 }, () => stored))
    const rows = await rowsOf(tenantId)
    expect(rows.map(row => row.position)).toEqual(Array.from({ length: 80 }, (_, at) => at + 1))
    expect(rows.map(row => row.created_at)).toEqual(rows.map(row => row.created_at).toSorted())
  })

  test('the same id from two processes at the same moment is stored once', async () => {
    const tenantId = await createTestTenant(database.db)
    const [one, other] = [openWriter(), openWriter()]
    const ids = Array.from({ length: 20 }, uuidv7)
    const results = await Promise.all(
      ids.flatMap(id => [one, other].map(writer => writer.submit(submission(tenantId, { ids: [id] })))),
    )
    expect(results.filter(result => result.duplicates.length === 0)).toHaveLength(20)
    expect(await rowsOf(tenantId)).toHaveLength(20)
  })

  test("stores the others' events while one tenant's tail is locked, and its own when it is free", async () => {
    const [locked, free] = [await createTestTenant(database.db), await createTestTenant(database.db)]
    const holder = new pg.Client({ connectionString: database.url })
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
    const [locked, free] = [await createTestTenant(database.db), await createTestTenant(database.db)]
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select from queue_tails where tenant_id = $1 for update', [locked])
    const connections = openDatabase({
      url: database.url,
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
      database.db,
    )
    const tenantId = await createTestTenant(database.db)
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
    await sql`alter table event_log drop constraint poison`.execute(database.db)
    expect(results).toEqual([
      stored,
      { duplicates: [], refused: [1] },
      { duplicates: [], refused: [0] },
      stored,
    ])
    const rows = await rowsOf(tenantId)
    expect(rows.map(row => row.position)).toEqual([1, 2, 3, 4])
  })

  test('at midnight the day and the receipt time rise with the positions, and yesterday’s ids are known', async () => {
    const tenantId = await createTestTenant(database.db)
    const writer = openWriter()
    const midnight = new Date()
    midnight.setUTCHours(24, 0, 0, 0)
    const at = (ms: number) => new Date(midnight.getTime() + ms).toISOString()
    const [late, early] = [uuidv7(), uuidv7()]
    await Promise.all([
      writer.submit(submission(tenantId, { ids: [late], receivedAt: at(-1), note: 'late' })),
      writer.submit(submission(tenantId, { ids: [early], receivedAt: at(0), note: 'early' })),
      writer.submit(submission(tenantId, { receivedAt: at(-2), note: 'another clock' })),
    ])
    expect(await writer.submit(submission(tenantId, { ids: [late], receivedAt: at(5) }))).toEqual({
      duplicates: [0],
      refused: [],
    })
    const rows = await rowsOf(tenantId)
    expect(rows.map(row => row.note)).toEqual(['late', 'early', 'another clock'])
    const [yesterday, today] = [at(-1).slice(0, 10), at(0).slice(0, 10)]
    expect(rows.map(row => row.day)).toEqual([yesterday, today, today])
    const times = rows.map(row => row.created_at)
    expect(times).toEqual(times.toSorted())
    expect(times[1]).toBe(`${today}T00:00:00.000+00:00`)
  })

  test('a clock that moved back moves neither days nor receipt times back', async () => {
    const tenantId = await createTestTenant(database.db)
    const writer = openWriter()
    const now = Date.now()
    await writer.submit(submission(tenantId, { receivedAt: new Date(now).toISOString() }))
    await writer.submit(submission(tenantId, { receivedAt: new Date(now - 3 * 86_400_000).toISOString() }))
    const rows = await rowsOf(tenantId)
    expect(new Set(rows.map(row => row.day)).size).toBe(1)
    expect(rows[1]?.created_at).toBe(rows[0]?.created_at)
  })

  test('makes the partition of a day that has none', async () => {
    const tenantId = await createTestTenant(database.db)
    const day = new Date(Date.now() + 20 * 86_400_000)
    const writer = openWriter({ makePartitions: () => prepareLogs(database.db, day) })
    expect(await writer.submit(submission(tenantId, { receivedAt: day.toISOString() }))).toEqual(stored)
    expect((await rowsOf(tenantId)).map(row => row.day)).toEqual([day.toISOString().slice(0, 10)])
  })

  test('a tenant without queues is an error, not a wait', async () => {
    const writer = openWriter()
    await expect(writer.submit(submission(uuidv7()))).rejects.toThrow('has no queue')
  })

  test('refuses with 503 what goes past the bound of what waits, and keeps what it took', async () => {
    const tenantId = await createTestTenant(database.db)
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
    const tenantId = await createTestTenant(database.db)
    const proxy = await startDatabaseProxy(database.url)
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
    const tenantId = await createTestTenant(database.db)
    const proxy = await startDatabaseProxy(database.url)
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
    const tenantId = await createTestTenant(database.db)
    const proxy = await startDatabaseProxy(database.url)
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

  test('writes what waits before it closes, and refuses what comes then', async () => {
    const tenantId = await createTestTenant(database.db)
    const writer = openWriter()
    const waiting = Promise.all(Array.from({ length: 30 }, () => writer.submit(submission(tenantId))))
    const closing = writer.close()
    await expect(writer.submit(submission(tenantId))).rejects.toMatchObject({ status: 503 })
    await closing
    expect(await waiting).toHaveLength(30)
    expect(await rowsOf(tenantId)).toHaveLength(30)
  })
})
