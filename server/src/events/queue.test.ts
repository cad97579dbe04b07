import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import { createWholePlatform, platformHost, tokens, type WholePlatform } from '../testing/whole-platform.ts'

const host = 'members.acme.example'
const path = '/api/platform/events'
let platform: WholePlatform
beforeAll(async () => {
  platform = await createWholePlatform()
})
afterAll(() => platform.close())
beforeEach(async () => {
  await platform.apply(flagOn)
  await remove('count=999999999999999')
})

const flagOn =
  'tenants: [{ slug: acme, name: Acme Daily, domain: members.acme.example, flags: [UseQueueEvents] }]'
const flagOff = flagOn.replace('[UseQueueEvents]', '[]')

/** Sends so many events and answers their ids. */
async function record(count: number, given: object = {}, perRequest = 100): Promise<string[]> {
  const ids = Array.from({ length: count }, uuidv7)
  for (let from = 0; from < count; from += perRequest) {
    const events = ids.slice(from, from + perRequest).map((id, at) => ({
      id,
      type: 'page_view',
      session_id: 's',
      url: 'https://news.acme.example/',
      event_sequence: from + at,
      ...given,
    }))
    const answer = await platform.request(host, {
      method: 'POST',
      url: '/api/sdk/events',
      headers: { 'content-type': 'text/plain' },
      payload: JSON.stringify({ events }),
    })
    expect(answer.statusCode).toBe(202)
  }
  return ids
}

const read = (query = '', to = host) => platform.request(to, { url: path + query, key: tokens.acme })
const readIds = async (query = ''): Promise<string[]> =>
  (await read(query)).json().data.events.map((event: { id: string }) => event.id)
const remove = (query: string, headers: Record<string, string> = {}) =>
  platform.request(host, { method: 'DELETE', url: `${path}?${query}`, key: tokens.acme, headers })
const rewind = (to: unknown) =>
  platform.request(host, {
    method: 'POST',
    url: `${path}/rewind`,
    key: tokens.acme,
    payload: { to } as object,
  })

describe('GET /api/platform/events (interface 4.4)', () => {
  test('answers what waits, in order, and leaves it there', async () => {
    const ids = await record(3)
    const answer = await read()
    expect(answer.statusCode).toBe(200)
    const {
      date: _,
      connection: __,
      'x-request-id': ___,
      'content-length': length,
      ...headers
    } = answer.headers
    expect(headers).toEqual({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    expect(Number(length)).toBe(Buffer.byteLength(answer.body))
    expect(Object.keys(answer.json())).toEqual(['data'])
    expect(answer.json().data.count).toBe(3)
    expect(await readIds()).toEqual(ids)
  })

  test('answers the empty result when nothing waits', async () => {
    const answer = await read()
    expect([answer.statusCode, answer.json()]).toEqual([200, { data: { count: 0, events: [] } }])
  })

  test('answers the empty result while the flag is off, and what waited before when it is on again', async () => {
    const before = await record(2)
    await platform.apply(flagOff)
    expect((await read()).json()).toEqual({ data: { count: 0, events: [] } })
    await record(1)
    await platform.apply(flagOn)
    const after = await record(1)
    expect(await readIds()).toEqual([...before, ...after])
  })

  test('answers at most 10,000 events, in many pieces', async () => {
    const ids = await record(10_020)
    const answer = await read()
    expect(answer.json().data.count).toBe(10_000)
    expect(answer.json().data.events.map((event: { id: string }) => event.id)).toEqual(ids.slice(0, 10_000))
    expect((await remove('count=10000')).statusCode).toBe(204)
    expect(await readIds()).toEqual(ids.slice(10_000))
  })

  test('answers at most 32 MiB, and the rest with the next read', async () => {
    // The path is percent-encoded: 9 bytes for each of these characters, beside the 3 of the URL itself.
    const ids = await record(400, { url: `https://news.acme.example/${'語'.repeat(8_000)}` }, 10)
    const first = await read()
    expect(Buffer.byteLength(first.body)).toBeLessThan(32 * 1024 * 1024)
    expect(Buffer.byteLength(first.body)).toBeGreaterThan(31 * 1024 * 1024)
    const { count, events } = first.json().data
    expect(events).toHaveLength(count)
    await remove(`count=${count}`)
    expect(await readIds()).toEqual(ids.slice(count))
  })

  test.for([
    ['1', 1],
    ['2', 2],
    ['10000', 3],
  ] as const)('takes limit=%s', async ([limit, count]) => {
    await record(3)
    expect((await read(`?limit=${limit}`)).json().data.count).toBe(count)
  })

  test.for(['0', '-1', '10001', 'x', '1.5', '', '01', '1&limit=2'])(
    'refuses limit=%s with 422',
    async limit => {
      const answer = await read(`?limit=${limit}`)
      const message = 'limit must be an integer from 1 to 10000: how many events to read at most.'
      expect([answer.statusCode, answer.json()]).toEqual([422, { message, errors: { limit: [message] } }])
    },
  )

  test('a missing position is 503, never a silently shorter answer', async () => {
    const ids = await record(3)
    await sql`delete from event_log where id = ${ids[1]}`.execute(platform.database.db)
    const answer = await read()
    expect([answer.statusCode, answer.json()]).toEqual([
      503,
      { message: 'A part of the queue cannot be read now. Try again shortly.' },
    ])
    expect(answer.headers['retry-after']).toBe('1')
  })

  test('on the platform host the key names the tenant; an alias is one of its own hosts', async () => {
    const ids = await record(1)
    for (const to of [platformHost, 'accounts.acme.example', `acme.${platformHost}`]) {
      const answer = await read('', to)
      expect(answer.json().data.events.map((event: { id: string }) => event.id)).toEqual(ids)
    }
  })

  test('each tenant has a queue of its own', async () => {
    await record(1)
    const answer = await platform.request(platformHost, { url: path, key: tokens.globe })
    expect(answer.json()).toEqual({ data: { count: 0, events: [] } })
  })
})

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
    await platform.apply(flagOff)
    expect((await remove('count=1')).statusCode).toBe(204)
    await platform.apply(flagOn)
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
    const holder = new pg.Client({ connectionString: platform.database.url })
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

describe('POST /api/platform/events/rewind (decisions, "Answers")', () => {
  test('moves the head back to a position, and says so in the audit trail', async () => {
    const ids = await record(5)
    const { position: end } = (await rewind('2100-01-01T00:00:00Z')).json().data
    await remove('count=4')
    const answer = await rewind(end + 1)
    expect([answer.statusCode, answer.json()]).toEqual([200, { data: { position: end + 1, depth: 4 } }])
    expect(await readIds()).toEqual(ids.slice(1))
    const audit = await sql<{ action: string; details: unknown; address: string }>`
      select action, details, address from audit_entries order by id desc limit 1`.execute(
      platform.database.db,
    )
    expect(audit.rows).toEqual([
      {
        action: 'queue.rewound',
        address: '127.0.0.1',
        details: { queue: 'events', from: end + 4, position: end + 1, depth: 4 },
      },
    ])
  })

  test('moves the head back to the first event received at a time or later', async () => {
    const ids = [...(await record(3)), ...(await record(3))]
    const times: string[] = (await read())
      .json()
      .data.events.map((event: { created_at: string }) => event.created_at)
    await remove('count=6')
    const from = times.indexOf(times[4] ?? '')
    expect((await rewind(times[4])).json().data.depth).toBe(6 - from)
    expect(await readIds()).toEqual(ids.slice(from))
  })

  test('goes at most to the oldest event that is kept', async () => {
    await record(2)
    const answer = await rewind(0)
    const { data } = answer.json()
    const { rows } = await sql<{ first: number; count: number }>`
      select min(position) as first, count(*) as count from event_log l join tenants t on t.id = l.tenant_id
      where t.slug = 'acme' and position is not null`.execute(platform.database.db)
    expect(data.position).toBe((rows[0]?.first ?? 0) - 1)
  })

  test('goes back only', async () => {
    await record(1)
    const answer = await rewind(10 ** 9)
    expect(answer.statusCode).toBe(422)
    expect(answer.json().errors.to[0]).toMatch(
      /^to must be at most \d+, where the queue is: a rewind goes back only\.$/,
    )
  })

  test.for([[-1], [1.5], ['yesterday'], [null], [true], [[]], ['2026-13-41T00:00:00Z']])(
    'refuses to: %j',
    async ([to]) => {
      const answer = await rewind(to)
      expect(answer.statusCode).toBe(422)
      expect(answer.json().errors).toHaveProperty('to')
    },
  )
})

describe('who may (interface 5; decisions, "Keys")', () => {
  test.for([
    ['GET', path, 200],
    ['DELETE', `${path}?count=1`, 403],
    ['POST', `${path}/rewind`, 403],
  ] as const)('a key that only reads: %s %s', async ([method, url, status]) => {
    const answer = await platform.request(host, {
      method,
      url,
      key: tokens.acmeReader,
      ...(method === 'POST' && { payload: { to: 0 } }),
    })
    expect(answer.statusCode).toBe(status)
  })
})

describe('/api/platform/heartbeats', () => {
  test('is the same set of routes for the Heartbeat Queue', async () => {
    const [id] = await record(1, { type: 'heartbeat' })
    const url = '/api/platform/heartbeats'
    const answer = await platform.request(host, { url, key: tokens.acme })
    expect(answer.json().data).toMatchObject({ count: 1, events: [{ id, type: 'heartbeat' }] })
    expect(
      (
        await platform.request(host, {
          method: 'DELETE',
          url: `${url}?count=1&first_id=${id}`,
          key: tokens.acme,
        })
      ).statusCode,
    ).toBe(204)
    expect((await platform.request(host, { url, key: tokens.acme })).json().data.count).toBe(0)
    const back = await platform.request(host, {
      method: 'POST',
      url: `${url}/rewind`,
      key: tokens.acme,
      payload: { to: 0 },
    })
    expect(back.json()).toEqual({ data: { position: 0, depth: 1 } })
  })
})
