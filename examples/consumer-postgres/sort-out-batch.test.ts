import type { EventRecord } from '@usher/consumer'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../server/src/testing/database.ts'
import { createTables, insertEvents } from './events.store.ts'
import { sortOutBatch } from './sort-out-batch.ts'

const event = (n: number, more: Partial<EventRecord> = {}): EventRecord => ({
  id: `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`,
  type: 'page_view',
  session_id: 's',
  audience_member_id: null,
  url: 'https://news.example/',
  page_hostname: 'news.example',
  page_path: '/',
  user_agent: '',
  ip_address: '192.0.2.1',
  event_sequence: n,
  created_at: '2026-01-05T12:00:00.000+00:00',
  ...more,
})

const bad = event(2, { type: 'unwanted' })
const batch = { events: [event(1), bad, event(3)], count: 3 }

describe('a batch that PostgreSQL does not take', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
    await createTables(database.pool)
    await database.pool.query(`alter table usher_events add check (type <> 'unwanted')`)
  })
  beforeEach(async () => void (await database.pool.query('truncate usher_events, usher_refused_events')))
  afterAll(() => database?.drop())

  const storedIds = async () => {
    const { rows } = await database.pool.query<{ id: string }>('select id from usher_events order by id')
    return rows.map(({ id }) => id)
  }

  test('goes in but for the event that is refused, which is put aside with the reason', async () => {
    const error = await insertEvents(database.pool, batch.events).catch((refusal: unknown) => refusal)
    expect(await storedIds()).toEqual([])
    expect(await sortOutBatch(database.pool, batch, error)).toBe('skip')
    expect(await storedIds()).toEqual([event(1).id, event(3).id])
    const { rows } = await database.pool.query('select * from usher_refused_events')
    expect(rows).toEqual([
      {
        id: bad.id,
        record: JSON.stringify(bad),
        reason: expect.stringContaining('violates check constraint'),
      },
    ])
  })

  test('may be sorted out twice, as after a kill in the middle', async () => {
    const error = await insertEvents(database.pool, batch.events).catch((refusal: unknown) => refusal)
    await sortOutBatch(database.pool, batch, error)
    expect(await sortOutBatch(database.pool, batch, error)).toBe('skip')
    expect(await storedIds()).toEqual([event(1).id, event(3).id])
  })

  test('stays in the queue where it is the database that fails, not the data', async () => {
    expect(await sortOutBatch(database.pool, batch, new Error('connection refused'))).toBe('stop')
    expect(await storedIds()).toEqual([])
  })
})
