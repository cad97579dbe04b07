import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import { createTestTenant } from '../testing/tenant.ts'
import { stored, submission, useTestWriters } from '../testing/use-test-writers.ts'
import { prepareLogs } from './prepare-logs.ts'
import { updateActive } from './queue.store.ts'

const given = useTestWriters()
const { openWriter, rowsOf } = given

describe('the writer (architecture, "The event path" 2 and 3)', () => {
  test('stores every event once, with dense positions in the order of submission', async () => {
    const tenantId = await createTestTenant(given.database.db)
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
    const tenantId = await createTestTenant(given.database.db)
    const commits: number[] = []
    const writer = openWriter({ onCommit: events => commits.push(events) })
    const first = writer.submit(submission(tenantId))
    await delay(0)
    await Promise.all([first, ...Array.from({ length: 50 }, () => writer.submit(submission(tenantId)))])
    expect(commits).toEqual([1, 50])
  })

  test('knows an id that stands in the log, in the batch, and in one request', async () => {
    const tenantId = await createTestTenant(given.database.db)
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
    const [one, other] = [
      await createTestTenant(given.database.db),
      await createTestTenant(given.database.db),
    ]
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
    const tenantId = await createTestTenant(given.database.db, { active: false })
    const writer = openWriter()
    const set = (active: boolean) =>
      given.database.db.transaction().execute(trx => updateActive(trx, tenantId, active))
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
    const tenantId = await createTestTenant(given.database.db)
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
    const tenantId = await createTestTenant(given.database.db)
    const [one, other] = [openWriter(), openWriter()]
    const ids = Array.from({ length: 20 }, uuidv7)
    const results = await Promise.all(
      ids.flatMap(id => [one, other].map(writer => writer.submit(submission(tenantId, { ids: [id] })))),
    )
    expect(results.filter(result => result.duplicates.length === 0)).toHaveLength(20)
    expect(await rowsOf(tenantId)).toHaveLength(20)
  })

  test('at midnight the day and the receipt time rise with the positions, and yesterday’s ids are known', async () => {
    const tenantId = await createTestTenant(given.database.db)
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
    const tenantId = await createTestTenant(given.database.db)
    const writer = openWriter()
    const now = Date.now()
    await writer.submit(submission(tenantId, { receivedAt: new Date(now).toISOString() }))
    await writer.submit(submission(tenantId, { receivedAt: new Date(now - 3 * 86_400_000).toISOString() }))
    const rows = await rowsOf(tenantId)
    expect(new Set(rows.map(row => row.day)).size).toBe(1)
    expect(rows[1]?.created_at).toBe(rows[0]?.created_at)
  })

  test('makes the partition of a day that has none', async () => {
    const tenantId = await createTestTenant(given.database.db)
    const day = new Date(Date.now() + 20 * 86_400_000)
    const writer = openWriter({ makePartitions: () => prepareLogs(given.database.db, day) })
    expect(await writer.submit(submission(tenantId, { receivedAt: day.toISOString() }))).toEqual(stored)
    expect((await rowsOf(tenantId)).map(row => row.day)).toEqual([day.toISOString().slice(0, 10)])
  })

  test('a tenant without queues is an error, not a wait', async () => {
    const writer = openWriter()
    await expect(writer.submit(submission(uuidv7()))).rejects.toThrow('has no queue')
  })

  test('writes what waits before it closes, and refuses what comes then', async () => {
    const tenantId = await createTestTenant(given.database.db)
    const writer = openWriter()
    const waiting = Promise.all(Array.from({ length: 30 }, () => writer.submit(submission(tenantId))))
    const closing = writer.close()
    await expect(writer.submit(submission(tenantId))).rejects.toMatchObject({ status: 503 })
    await closing
    expect(await waiting).toHaveLength(30)
    expect(await rowsOf(tenantId)).toHaveLength(30)
  })
})
