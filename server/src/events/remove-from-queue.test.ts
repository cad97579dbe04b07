import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import { useTestQueue } from '../testing/use-test-queue.ts'

const queue = useTestQueue()
const { flagOn, flagOff, record, read, readIds, remove } = queue

describe('DELETE /api/platform/events (interface 4.5)', () => {
  test('removes exactly count from the front; what arrived after the GET stays', async () => {
    await record(3)
    const { count } = (await read()).json().data
    const later = await record(2)
    const answer = await remove(`count=${count}`)
    expect([answer.statusCode, answer.body]).toEqual([204, ''])
    expect(answer.headers).not.toHaveProperty('content-type')
    expect(await readIds()).toEqual(later)
  })

  test('more than what waits removes what waits', async () => {
    await record(2)
    expect((await remove('count=9999999999999999')).statusCode).toBe(204)
    const [id] = await record(1)
    expect(await readIds()).toEqual([id])
  })

  const rule =
    'an integer of 1 or more, sent once: how many events to remove, the count that the GET answered.'
  const missing = `count is missing: it must be ${rule}`
  test.for([
    ['', missing],
    ['count=', undefined],
    ['count=0', undefined],
    ['count=-1', undefined],
    ['count=1.0', undefined],
    ['count=+1', undefined],
    ['count=%201', undefined],
    ['count=1e3', undefined],
    ['count=abc', undefined],
    ['count=0x1', undefined],
    ['count=01', undefined],
    ['count=12345678901234567', undefined],
    ['count=1&count=1', undefined],
    ['count[]=1', missing],
    ['COUNT=1', missing],
  ] as const)('refuses "%s" with 422 and removes nothing', async ([query, message]) => {
    const ids = await record(2)
    const answer = await remove(query)
    const expected = message ?? `count must be ${rule}`
    expect(answer.headers['content-type']).toBe('application/json')
    expect([answer.statusCode, answer.json()]).toEqual([
      422,
      { message: expected, errors: { count: [expected] } },
    ])
    expect(await readIds()).toEqual(ids)
  })

  test('works while the flag is off', async () => {
    const ids = await record(2)
    await queue.platform.apply(flagOff)
    expect((await remove('count=1')).statusCode).toBe(204)
    await queue.platform.apply(flagOn)
    expect(await readIds()).toEqual([ids[1]])
  })

  test('with first_id, answers 409 when another event is at the front by now', async () => {
    const [a, b, c] = await record(3)
    expect((await remove(`count=1&first_id=${a?.toUpperCase()}`)).statusCode).toBe(204)
    const again = await remove(`count=1&first_id=${a}`)
    expect([again.statusCode, again.json()]).toEqual([
      409,
      {
        message:
          'first_id is not at the front: it was removed already, the queue was moved back, or it never was here. Read again.',
      },
    ])
    expect(await readIds()).toEqual([b, c])
    await remove('count=2')
    expect((await remove(`count=1&first_id=${c}`)).json()).toEqual({
      message:
        'Nothing waits, so first_id is not at the front: it was removed already, or never was here. Read again.',
    })
  })

  test('a first_id that is no UUID is 422', async () => {
    const message =
      'first_id must be a UUID: the id of the first event that was read; 409 when another is at the front by now.'
    expect((await remove('count=1&first_id=x')).json()).toEqual({ message, errors: { first_id: [message] } })
  })

  test('sent twice with an Idempotency-Key, removes once', async () => {
    const ids = await record(5)
    const headers = { 'idempotency-key': uuidv7() }
    const query = `count=2&first_id=${ids[0]}`
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(query, headers)))
    expect(answers.map(answer => answer.statusCode)).toEqual([204, 204, 204, 204, 204])
    expect(await readIds()).toEqual(ids.slice(2))
    expect((await remove('count=1', { 'idempotency-key': uuidv7() })).statusCode).toBe(204)
    expect((await remove(query, headers)).statusCode).toBe(204)
    expect(await readIds()).toEqual(ids.slice(3))
  })

  test('an Idempotency-Key that was used for another removal is 422', async () => {
    const ids = await record(3)
    const headers = { 'idempotency-key': 'k1' }
    await remove('count=1', headers)
    const answer = await remove('count=2', headers)
    const message = 'This Idempotency-Key was used for another removal. Make a new one.'
    expect([answer.statusCode, answer.json()]).toEqual([
      422,
      { message, errors: { 'idempotency-key': [message] } },
    ])
    expect(await readIds()).toEqual(ids.slice(1))
  })

  test.for(['', 'a b', 'ü', 'x'.repeat(256)])('refuses the Idempotency-Key "%s"', async key => {
    expect((await remove('count=1', { 'idempotency-key': key })).statusCode).toBe(422)
  })

  test('two consumers at once remove what they removed together, no more', async () => {
    const ids = await record(50)
    await Promise.all(Array.from({ length: 20 }, () => remove('count=2')))
    expect(await readIds()).toEqual(ids.slice(40))
  })

  test('a consumer that dies between GET and DELETE leaves everything to the next', async () => {
    const ids = await record(4)
    expect(await readIds('?limit=2')).toEqual(ids.slice(0, 2))
    expect(await readIds()).toEqual(ids)
  })
})

describe('a transaction held open during append (threats, "Faults")', () => {
  test('no GET or DELETE skips or loses what it commits later', async () => {
    const first = await record(1)
    // Another process's writer: it has its positions, and has not committed yet.
    const holder = new pg.Client({ connectionString: queue.platform.database.url })
    await holder.connect()
    const { rows } = await holder.query("select id from tenants where slug = 'acme'")
    const held = uuidv7()
    await holder.query('begin')
    await holder.query('select append_events($1, $2, $3, $4, false)', [
      [rows[0].id],
      [held],
      [new Date().toISOString()],
      `{"id":"${held}","created_at":"`,
    ])
    const recording = record(1)
    expect(await readIds()).toEqual(first)
    expect((await remove('count=5')).statusCode).toBe(204)
    expect(await readIds()).toEqual([])
    await holder.query('commit')
    await holder.end()
    expect(await readIds().then(ids => ids[0])).toBe(held)
    const [later] = await recording
    expect(await readIds()).toEqual([held, later])
  })
})
