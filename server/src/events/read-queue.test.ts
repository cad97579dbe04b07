import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useTestQueue } from '../testing/use-test-queue.ts'
import { platformHost, tokens } from '../testing/whole-platform.ts'

const queue = useTestQueue()
const { host, path, flagOn, flagOff, record, read, readIds, remove, rewind } = queue

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
    await queue.platform.apply(flagOff)
    expect((await read()).json()).toEqual({ data: { count: 0, events: [] } })
    await record(1)
    await queue.platform.apply(flagOn)
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
    await sql`delete from event_log where id = ${ids[1]}`.execute(queue.platform.database.db)
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
    const answer = await queue.platform.request(platformHost, { url: path, key: tokens.globe })
    expect(answer.json()).toEqual({ data: { count: 0, events: [] } })
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
      queue.platform.database.db,
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
      where t.slug = 'acme' and position is not null`.execute(queue.platform.database.db)
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
    const answer = await queue.platform.request(host, {
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
    const answer = await queue.platform.request(host, { url, key: tokens.acme })
    expect(answer.json().data).toMatchObject({ count: 1, events: [{ id, type: 'heartbeat' }] })
    expect(
      (
        await queue.platform.request(host, {
          method: 'DELETE',
          url: `${url}?count=1&first_id=${id}`,
          key: tokens.acme,
        })
      ).statusCode,
    ).toBe(204)
    expect((await queue.platform.request(host, { url, key: tokens.acme })).json().data.count).toBe(0)
    const back = await queue.platform.request(host, {
      method: 'POST',
      url: `${url}/rewind`,
      key: tokens.acme,
      payload: { to: 0 },
    })
    expect(back.json()).toEqual({ data: { position: 0, depth: 1 } })
  })
})
