import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { createTestTenant } from '../testing/tenant.ts'
import { type Database, isDatabaseUnavailable, openDatabase } from './database/index.ts'
import { type GatherOptions, gather } from './gather.ts'

interface Note {
  tenantId: string
  id: number
  text: string
}

let database: TestDatabase
/** Holds locks for a test. */
let holder: pg.Client
let tenants: string[]
/** How many notes each statement had. */
let sizes: number[]
beforeAll(async () => {
  database = await createTestDatabase()
  tenants = await Promise.all([createTestTenant(database.db), createTestTenant(database.db)])
  await database.pool.query(`create table notes (
    tenant_id uuid not null references tenants (id), id integer not null check (id >= 0), text text not null,
    primary key (tenant_id, id))`)
  holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
})
beforeEach(() => {
  sizes = []
})
afterEach(async () => {
  await holder.query('rollback')
  await database.pool.query('delete from notes')
})
afterAll(async () => {
  await holder.end()
  await database.drop()
})

/** Answers each note's text as it was stored. */
async function insertNotes(db: Database, notes: readonly Note[]): Promise<string[]> {
  sizes.push(notes.length)
  const column = <K extends keyof Note>(name: K) => notes.map(note => note[name])
  const { rows } = await sql<{ stored: string }>`
    with given as (
      select * from unnest(${column('tenantId')}::uuid[], ${column('id')}::integer[], ${column('text')}::text[])
        with ordinality as n (tenant_id, id, text, place)),
    stored as (
      insert into notes select tenant_id, id, text from given returning *)
    select stored.text as stored from given join stored using (tenant_id, id) order by place`.execute(db)
  return rows.map(({ stored }) => stored)
}

const open = (options: Partial<GatherOptions<Note, string>> = {}, db: Database = database.db) =>
  gather<Note, string>({ run: notes => insertNotes(db, notes), ...options })

const note = (id: number, text = `note ${id}`): Note => ({ tenantId: tenants[id % 2] ?? '', id, text })
const notes = (from: number, count: number) => Array.from({ length: count }, (_, at) => note(from + at))
const storedIds = async (): Promise<number[]> =>
  (await database.pool.query('select id from notes order by id')).rows.map(({ id }) => id)

/** Until the test lets go, or ends, no note is stored. */
async function holdNotes(): Promise<void> {
  await holder.query('begin')
  await holder.query('lock table notes in exclusive mode')
}
const letGo = () => holder.query('commit')
const waitsForLocks = (count: number) => expect.poll(() => database.lockWaits()).toBe(count)

describe('gathering', () => {
  test('puts what is asked for at once, by any tenants, into one statement, and answers each its own', async () => {
    const insert = open()
    const given = notes(0, 40)
    expect(await Promise.all(given.map(insert))).toEqual(given.map(({ text }) => text))
    expect(sizes).toEqual([40])
    expect(await storedIds()).toEqual(given.map(({ id }) => id))
    const { rows } = await database.pool.query('select count(distinct tenant_id) from notes')
    expect(rows).toEqual([{ count: 2 }])
  })

  test('puts what is asked for while a statement is under way into the next one', async () => {
    const insert = open({ maxStatements: 1 })
    await holdNotes()
    const first = insert(note(0))
    await waitsForLocks(1)
    const others = Promise.all(notes(1, 30).map(insert))
    await letGo()
    expect([await first, await others]).toEqual(['note 0', notes(1, 30).map(({ text }) => text)])
    expect(sizes).toEqual([1, 30])
  })

  test('runs no more statements at once, and puts no more into one, than it may', async () => {
    const insert = open({ maxStatements: 2, maxItems: 3 })
    await holdNotes()
    const all = Promise.all(notes(0, 10).map(insert))
    await waitsForLocks(2)
    expect(sizes).toEqual([3, 3])
    await letGo()
    expect(await all).toEqual(notes(0, 10).map(({ text }) => text))
    expect(sizes).toEqual([3, 3, 3, 1])
  })
})

describe('a gathered statement that fails', () => {
  test('is parted by bad data, so that only what is bad is refused, and all else is stored once', async () => {
    const insert = open()
    const given = [...notes(0, 9), note(-2), ...notes(10, 9), note(20, 'NUL \0'), note(3)]
    const results = await Promise.allSettled(given.map(insert))
    const refused = results.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))
    // Which of the two with the same id is refused is not said.
    expect([refused.length, refused.includes(9), refused.includes(19)]).toEqual([3, true, true])
    const codes = results.flatMap(result => (result.status === 'rejected' ? [result.reason.code] : []))
    expect(codes.toSorted()).toEqual(['22021', '23505', '23514'])
    expect(await storedIds()).toEqual([...notes(0, 9), ...notes(10, 9)].map(({ id }) => id))
  })

  test('is parted by a lock that is not given, so that one row does not hold up all', async () => {
    const impatient = openDatabase({
      url: database.url,
      maxConnections: 2,
      lockTimeoutMs: 50,
      applicationName: 'test',
    })
    const insert = open({}, impatient.db)
    await holder.query('begin')
    await holder.query('insert into notes values ($1, 5, $2)', [note(5).tenantId, 'held'])
    const results = await Promise.allSettled(notes(0, 8).map(insert))
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual(notes(0, 8).map(({ id }) => id !== 5))
    expect(results[5]).toMatchObject({ reason: { code: '55P03' } })
    await impatient.close()
  })

  test('for another reason fails all that it had, and nothing else', async () => {
    const insert = open({
      run: async given => {
        await sql`select from nowhere`.execute(database.db)
        return insertNotes(database.db, given)
      },
    })
    const results = await Promise.allSettled(notes(0, 5).map(insert))
    for (const result of results) expect(result).toMatchObject({ reason: { code: '42P01' } })
    expect(sizes).toEqual([])
  })

  test('with its connection tells each caller that the database is away, and the next one is run', async () => {
    const insert = open({ maxStatements: 1 })
    await holdNotes()
    const lost = Promise.allSettled(notes(0, 5).map(insert))
    await waitsForLocks(1)
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    for (const result of await lost) {
      expect(result.status).toBe('rejected')
      expect(isDatabaseUnavailable((result as PromiseRejectedResult).reason)).toBe(true)
    }
    await letGo()
    // The pool may hand out the broken connection once more.
    await expect.poll(() => insert(note(5)).catch(() => '')).toBe('note 5')
    expect(await storedIds()).toEqual([5])
  })

  test('by an answer of another length fails all callers', async () => {
    const insert = open({ run: async given => (await insertNotes(database.db, given)).slice(1) })
    const results = await Promise.allSettled(notes(0, 2).map(insert))
    for (const result of results)
      expect(result).toMatchObject({ reason: { message: expect.stringContaining('another number') } })
  })
})

describe('waiting for a statement', () => {
  test('is refused with 503 to more than may wait', async () => {
    const insert = open({ maxStatements: 1, maxItems: 1, maxWaiting: 2 })
    await holdNotes()
    const first = insert(note(0))
    await waitsForLocks(1)
    const [one, two, three] = [insert(note(1)), insert(note(2)), insert(note(3))]
    await expect(three).rejects.toMatchObject({ status: 503 })
    await letGo()
    await Promise.all([first, one, two])
    expect(await storedIds()).toEqual([0, 1, 2])
  })

  test('ends with 503 at its deadline, and what was late is not stored', async () => {
    const insert = open({ maxStatements: 1, maxWaitMs: 20 })
    await holdNotes()
    const first = insert(note(0))
    await waitsForLocks(1)
    const [one, two] = [insert(note(1)), insert(note(2))]
    await expect(one).rejects.toMatchObject({ status: 503 })
    await expect(two).rejects.toMatchObject({ status: 503 })
    await letGo()
    expect(await first).toBe('note 0')
    expect(await storedIds()).toEqual([0])
  })

  test('ends when the database is closed: what is under way is stored, and what waits is told', async () => {
    const closing = openDatabase({ url: database.url, maxConnections: 2, applicationName: 'test' })
    const insert = open({ maxStatements: 1 }, closing.db)
    await holdNotes()
    const first = insert(note(0))
    await waitsForLocks(1)
    const waiting = insert(note(1)).catch(error => error)
    const closed = closing.close()
    await letGo()
    expect(await first).toBe('note 0')
    expect(isDatabaseUnavailable(await waiting)).toBe(true)
    await closed
    expect(await storedIds()).toEqual([0])
  })
})
