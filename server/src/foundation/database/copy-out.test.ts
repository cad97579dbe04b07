import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { copyOut } from './copy-out.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

async function readTexts(query: string): Promise<string[]> {
  const texts: string[] = []
  await copyOut(database.pool, query, value => texts.push(value.toString()))
  return texts
}

const endBackend = (where: string) =>
  database.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${where}`)

describe('copyOut', () => {
  test.for([
    ['no row', 'select record from heartbeat_log', []],
    ['one row', `select 'a'`, ['a']],
    ['an empty text among others', `values ('a'), (''), ('c')`, ['a', '', 'c']],
    [
      'text that COPY as text would escape',
      String.raw`values (E'{"a":"\\u00e9\\n"}'), (E'tab\tend'), ('é€😀'), ('\.')`,
      [String.raw`{"a":"\u00e9\n"}`, 'tab\tend', 'é€😀', '\\.'],
    ],
  ] as const)('hands over %s', async ([, query, expected]) => {
    expect(await readTexts(query)).toEqual(expected)
  })

  test('hands over values of every length in order, also those that come in several pieces', async () => {
    const lengths = [1, 65_530, 65_536, 3, 1_000_000, 0, 70_000, 5]
    const values = lengths.map((length, index) => `(repeat('${index}', ${length}))`)
    const texts = await readTexts(`values ${values.join()}`)
    expect(texts.map(text => text.length)).toEqual(lengths)
    expect(texts.map(text => new Set(text).size)).toEqual(lengths.map(length => Math.min(length, 1)))
  })

  test('hands over many small rows', async () => {
    const texts = await readTexts('select n::text from generate_series(1, 20000) n')
    expect(texts).toEqual(Array.from({ length: 20_000 }, (_, index) => String(index + 1)))
  })

  test.for([
    ['a query that cannot be read', 'select from where', /syntax error/],
    [
      'a query that fails at a later row',
      'select (1 / (3 - n))::text from generate_series(1, 5) n',
      /division by zero/,
    ],
  ] as const)('rejects for %s, and the connection goes on', async ([, query, message]) => {
    await expect(readTexts(query)).rejects.toThrow(message)
    expect(await readTexts(`select 'after'`)).toEqual(['after'])
  })

  test('rejects when the connection breaks in the middle', async () => {
    const reading = readTexts(`select repeat('x', 10000) || pg_sleep(0.01) from generate_series(1, 3000)`)
    const refused = expect(reading).rejects.toThrow(/terminat/)
    await expect.poll(async () => (await endBackend(`query like 'copy (select repeat%'`)).rowCount).toBe(1)
    await refused
    expect(await readTexts(`select 'after'`)).toEqual(['after'])
  })
})
