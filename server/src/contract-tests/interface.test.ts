import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import { createWholePlatform, platformHost, tokens, type WholePlatform } from '../testing/whole-platform.ts'

const acme = 'members.acme.example'
const globe = 'members.globe.example'
let platform: WholePlatform
beforeAll(async () => {
  platform = await createWholePlatform({ USHER_QUEUES: 'urgent,later' })
})
afterAll(() => platform.close())

const keyOf = (host: string) => (host === acme ? tokens.acme : tokens.globe)

async function collect(host: string, count: number, type = 'page_view'): Promise<string[]> {
  const events = Array.from({ length: count }, (_, at) => ({
    id: uuidv7(),
    type,
    session_id: 'session-1',
    url: 'https://news.acme.example/articles/one',
    event_sequence: at,
  }))
  const answer = await platform.request(host, { method: 'POST', url: '/api/sdk/events', payload: { events } })
  expect(answer.json()).toEqual({ accepted: count, duplicates: 0, rejected: [] })
  return events.map(({ id }) => id)
}
async function read(host: string, queue = 'events'): Promise<{ count: number; ids: string[] }> {
  const answer = await platform.request(host, { url: `/api/platform/${queue}`, key: keyOf(host) })
  const { count, events } = answer.json().data
  expect(events).toHaveLength(count)
  return { count, ids: events.map(({ id }: { id: string }) => id) }
}
async function remove(host: string, count: number, queue = 'events'): Promise<number> {
  const url = `/api/platform/${queue}?count=${count}`
  return (await platform.request(host, { method: 'DELETE', url, key: keyOf(host) })).statusCode
}
const health = async (host: string) => {
  const answer = await platform.request(host, { url: '/api/v1/health', key: keyOf(host) })
  return answer.json().queues
}

describe('the flag UseQueueEvents (interface 1 and 6)', () => {
  test('is opt-in: of a tenant without it, each event is saved and none is queued', async () => {
    const ids = [...(await collect(globe, 2)), ...(await collect(globe, 1, 'heartbeat'))]
    const { rows } = await platform.database.pool.query(
      `select id, position from (table event_log union all table heartbeat_log) l
       where tenant_id = (select id from tenants where slug = 'globe') order by id`,
    )
    expect(rows).toEqual(ids.toSorted().map(id => ({ id, position: null })))
    for (const queue of ['events', 'heartbeats'])
      expect(await read(globe, queue)).toEqual({ count: 0, ids: [] })
    const empty = { depth: 0, oldest_age_seconds: null }
    expect(await health(globe)).toEqual({ events: empty, heartbeats: empty })
  })

  test('once it is active, each event is also appended to the queue of its kind', async () => {
    await platform.apply(
      'tenants: [{ slug: globe, name: The Globe, domain: members.globe.example, flags: [UseQueueEvents] }]',
    )
    const [events, heartbeats] = [await collect(globe, 2), await collect(globe, 1, 'heartbeat')]
    expect(await read(globe)).toEqual({ count: 2, ids: events })
    expect(await read(globe, 'heartbeats')).toEqual({ count: 1, ids: heartbeats })
  })

  test('once it is not, the answer is the empty result, and what waits still waits', async () => {
    await platform.apply(
      'tenants: [{ slug: globe, name: The Globe, domain: members.globe.example, flags: [] }]',
    )
    for (const queue of ['events', 'heartbeats'])
      expect(await read(globe, queue)).toEqual({ count: 0, ids: [] })
    const waiting = await health(globe)
    expect([waiting.events.depth, waiting.heartbeats.depth]).toEqual([2, 1])
  })
})

describe('the recommended consumer loop (interface 4.5)', () => {
  test('handles every event once and in order, while more arrive all the time', async () => {
    const rounds = 60
    const published: string[] = []
    let isPublishing = true
    const publish = async () => {
      for (let round = 0; round < rounds; round++) published.push(...(await collect(acme, 1 + (round % 7))))
      isPublishing = false
    }
    const handled: string[] = []
    const consume = async () => {
      for (;;) {
        const wasPublishing = isPublishing
        const { count, ids } = await read(acme)
        if (count === 0) {
          if (!wasPublishing) return
          await sleep(1)
          continue
        }
        handled.push(...ids)
        expect(await remove(acme, count)).toBe(204)
      }
    }
    await Promise.all([publish(), consume()])
    expect(published.length).toBeGreaterThan(200)
    expect(handled).toEqual(published)
  })

  test('may read again until the DELETE is issued', async () => {
    const ids = await collect(acme, 3)
    for (let again = 0; again < 3; again++) expect(await read(acme)).toEqual({ count: 3, ids })
    const later = await collect(acme, 1)
    expect(await remove(acme, 3)).toBe(204)
    expect(await read(acme)).toEqual({ count: 1, ids: later })
    expect(await remove(acme, 1)).toBe(204)
  })
})

describe('the tenant health report (interface 2.2) follows both queues', () => {
  test('as events arrive and are removed', async () => {
    const empty = { depth: 0, oldest_age_seconds: null }
    expect(await health(acme)).toEqual({ events: empty, heartbeats: empty })
    await collect(acme, 3)
    await collect(acme, 2, 'heartbeat')
    const young = expect.toBeOneOf([0, 1, 2, 3, 4, 5])
    expect(await health(acme)).toEqual({
      events: { depth: 3, oldest_age_seconds: young },
      heartbeats: { depth: 2, oldest_age_seconds: young },
    })
    await remove(acme, 2)
    await remove(acme, 2, 'heartbeats')
    expect(await health(acme)).toEqual({ events: { depth: 1, oldest_age_seconds: young }, heartbeats: empty })
    await remove(acme, 1)
  })
})

describe('the platform health report (interface 2.3)', () => {
  test('has one entry per configured background queue, keyed by its name', async () => {
    const answer = await platform.request(platformHost, {
      url: '/api/v1/landlord/health',
      key: tokens.operator,
    })
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        status: 'ok',
        queue: { reachable: true },
        queues: { urgent: { pending: expect.any(Number) }, later: { pending: expect.any(Number) } },
        failed_jobs: 0,
      },
    ])
    expect(Object.keys(answer.json().queues)).toEqual(['urgent', 'later'])
  })
})

describe('the tenant list (interface 2.1 and 4.2)', () => {
  test('has every tenant, with the attributes that were asked for and no other', async () => {
    const list = async (query: string) => {
      const url = `/api/v1/landlord/tenants${query}`
      const answer = await platform.request(platformHost, { url, key: tokens.operator })
      return answer
        .json()
        .data.map(({ type, attributes }: { type: string; attributes: object }) => [type, attributes])
    }
    expect(await list('?fields[tenants]=slug,domain')).toEqual([
      ['tenants', { slug: 'acme', domain: acme }],
      ['tenants', { slug: 'globe', domain: globe }],
    ])
    const all = {
      name: 'Acme Daily',
      slug: 'acme',
      domain: acme,
      created_at: expect.stringMatching(/\+00:00$/),
    }
    expect((await list(''))[0]).toEqual(['tenants', all])
  })
})

describe('the paths (interface 9)', () => {
  test.for([
    ['/landlord/health', '/api/v1/landlord/health'],
    ['/landlord/tenants', '/api/v1/landlord/tenants'],
    ['/health', '/api/v1/health'],
    ['/api/landlord/health', '/api/v1/landlord/health'],
    ['/api/health', '/api/v1/health'],
    ['/api/v2/health', '/api/v1/health'],
    ['/api/v1/platform/events', '/api/platform/events'],
    ['/api/platform/v1/events', '/api/platform/events'],
    ['/api/v1/api/platform/events', '/api/platform/events'],
    ['/platform/events', '/api/platform/events'],
  ])('%s is none, %s is', async ([wrong = '', right = '']) => {
    const key = right.includes('landlord') ? tokens.operator : tokens.acme
    expect((await platform.request(platformHost, { url: right, key })).statusCode).toBe(200)
    expect((await platform.request(platformHost, { url: wrong, key })).statusCode).toBe(404)
  })
})
