import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import {
  type ContractPlatform,
  createContractPlatform,
  type SendOptions,
} from '../testing/contract/contract-platform.ts'
import { clientOfGlobe, keys } from '../testing/contract/keys.ts'
import { addressOf, exampleEvent, operationOf, operationsWhere } from '../testing/contract/operations.ts'
import { describedOperations } from '../testing/contract/routes.ts'
import { platformHost } from '../testing/whole-platform.ts'

type Slug = 'acme' | 'globe'
type Queue = 'events' | 'heartbeats'

const hostOf = (tenant: Slug) => `members.${tenant}.example`
const bearer = (tenant: Slug) => `Bearer ${keys[tenant]}`
let platform: ContractPlatform
beforeAll(async () => {
  platform = await createContractPlatform()
})
afterAll(() => platform.close())
beforeEach(() => platform.reset())

async function read(tenant: Slug, queue: Queue = 'events', host = platformHost): Promise<string[]> {
  const answer = await platform.send(`GET /api/platform/${queue}`, { host, authorization: bearer(tenant) })
  return answer.json().data.events.map(({ id }: { id: string }) => id)
}
const remove = async (tenant: Slug, query: string, headers = {}, queue: Queue = 'events') => {
  const authorization = bearer(tenant)
  const answer = await platform.send(`DELETE /api/platform/${queue}`, {
    host: platformHost,
    authorization,
    query,
    headers,
  })
  return answer.statusCode
}
const collect = async (tenant: Slug, events: object[]) => {
  const answer = await platform.send('POST /api/sdk/events', { host: hostOf(tenant), payload: { events } })
  return answer.json()
}

/** Where every queue stands, by tenant. */
async function positions(): Promise<Record<string, string>> {
  const { rows } = await platform.database.pool.query(
    `select t.slug || ' ' || h.queue as queue, h.position || '/' || q.position as position
     from queue_heads h join queue_tails q using (tenant_id, queue) join tenants t on t.id = h.tenant_id
     order by 1`,
  )
  return Object.fromEntries(rows.map(({ queue, position }) => [queue, position]))
}
const positionsOf = async (tenant: Slug) =>
  Object.entries(await positions()).filter(([queue]) => queue.startsWith(tenant))

/** All that names globe or something of it, by what it is. */
async function identifiersOfGlobe(): Promise<Record<string, string>> {
  const { rows } = await platform.database.pool.query(
    `select t.id as tenant, (select id from api_keys k where k.tenant_id = t.id limit 1) as key,
       (select user_id from api_keys k where k.tenant_id = t.id limit 1) as user,
       (select id from audit_entries a where a.tenant_id = t.id limit 1) as audit_entry
     from tenants t where t.slug = 'globe'`,
  )
  const [waiting = '', removed = ''] = [platform.recorded.globe.events[1], platform.recorded.globe.events[0]]
  return {
    ...rows[0],
    slug: 'globe',
    domain: hostOf('globe'),
    event: waiting,
    removed_event: removed,
    heartbeat: platform.recorded.globe.heartbeats[1] ?? '',
    session: 'session-of-globe',
    idempotency_key: 'a-key-of-globe',
    position: '5',
    client: clientOfGlobe.client_id,
  }
}

const ofTenants = operationsWhere(({ site, key }) => site === 'api' && key === 'organization')

/** Variations of an operation's good request that name something wherever a request can. */
function waysToName(name: string, value: string): Omit<SendOptions, 'host'>[] {
  const { query: good = '', payload, params = {} } = operationOf(name)
  const text = encodeURIComponent(value)
  const parameters = describedOperations(platform.app).get(name)?.parameters ?? []
  const named = (place: string) => parameters.filter(one => one.in === place).map(one => one.name)
  const invented = ['tenant', 'tenant_id', 'tenant[id]', 'host', 'domain', 'slug', 'id', 'session_id', 'key']
  const headers = ['x-tenant', 'x-tenant-id', 'x-forwarded-host', 'x-host', 'x-original-host']
  return [
    ...named('query').map(own => ({ query: `${own}=${text}` })),
    ...invented.map(other => ({ query: `${good}&${other}=${text}` })),
    ...[...named('header'), ...headers].map(header => ({ headers: { [header.toLowerCase()]: value } })),
    { headers: { forwarded: `host=${value}` } },
    ...(payload ? [{ payload: { to: value } }, { payload: { ...payload, tenant: value, id: value } }] : []),
    { path: `${addressOf(name).path}/${text}` },
    ...Object.keys(params).map(part => ({ path: addressOf(name, { ...params, [part]: text }).path })),
  ]
}

describe('acme\'s key, with every identifier of globe in every place (threats, "API")', () => {
  beforeEach(async () => {
    await remove('globe', 'count=1', { 'idempotency-key': 'a-key-of-globe' })
  })

  test.for(ofTenants)('%s reads, removes and moves nothing of globe', async name => {
    const before = await positionsOf('globe')
    const { events, heartbeats } = platform.recorded.globe
    for (const [what, value] of Object.entries(await identifiersOfGlobe())) {
      const tries = waysToName(name, value).flatMap(one => [
        { ...one, host: platformHost },
        { ...one, host: hostOf('acme') },
      ])
      const leaks = tries.map(async one => {
        const answer = await platform.send(name, { ...one, authorization: bearer('acme') })
        // A refusal may quote what was sent, a success may not.
        const quoted = answer.statusCode >= 400 ? value : ''
        const secrets = [
          ...events,
          ...heartbeats,
          'session-of-globe',
          platform.tenantIds.globe,
          clientOfGlobe.name,
        ]
        return secrets.filter(secret => secret !== quoted && answer.body.includes(secret))
      })
      expect([what, (await Promise.all(leaks)).flat()]).toEqual([what, []])
      expect([what, await positionsOf('globe')]).toEqual([what, before])
    }
  })

  test.for(ofTenants)("%s at globe's host is 403 and says nothing of it", async name => {
    const { query } = operationOf(name)
    const identifiers = Object.values(await identifiersOfGlobe()).filter(value => value.length > 5)
    const before = await positions()
    await platform.changes()
    for (const host of [hostOf('globe'), `globe.${platformHost}`]) {
      const answer = await platform.send(name, {
        host,
        authorization: bearer('acme'),
        ...(query !== undefined && { query: `${query}&first_id=${platform.recorded.globe.events[1]}` }),
      })
      expect(answer.statusCode).toBe(403)
      expect(identifiers.filter(value => answer.body.includes(value))).toEqual([])
    }
    expect(await positions()).toEqual(before)
    expect(await platform.changes()).toEqual([])
  })
})

describe('two tenants that use the same identifiers', () => {
  test("first_id: the front of the other's queue is not one's own, and neither queue moves", async () => {
    const [, front] = platform.recorded.globe.events
    const before = await positions()
    for (const queue of ['events', 'heartbeats'] as const) {
      expect(await remove('acme', `count=1&first_id=${front}`, {}, queue)).toBe(409)
      expect(await remove('acme', `count=1&first_id=${uuidv7()}`, {}, queue)).toBe(409)
    }
    expect(await positions()).toEqual(before)
    expect(await remove('globe', `count=1&first_id=${front}`)).toBe(204)
  })

  test('Idempotency-Key: one that the other used, for the same removal or another, is new', async () => {
    const headers = { 'idempotency-key': 'the-same-key' }
    expect(await remove('globe', 'count=1', headers)).toBe(204)
    const ofGlobe = await positionsOf('globe')
    // The same request: had globe's been found, nothing would be removed.
    expect(await remove('acme', 'count=1', headers)).toBe(204)
    expect(await read('acme')).toEqual(platform.recorded.acme.events.slice(2))
    // Another request for the key of globe's: 422 if they were one.
    expect(await remove('globe', 'count=2', headers)).toBe(422)
    expect(await remove('acme', 'count=1', headers)).toBe(204)
    expect(await positionsOf('globe')).toEqual(ofGlobe)
    expect(await read('acme')).toEqual(platform.recorded.acme.events.slice(2))
  })

  test("Idempotency-Key: a tenant's two queues do not share them either", async () => {
    const headers = { 'idempotency-key': 'the-same-key' }
    expect(await remove('acme', 'count=1', headers)).toBe(204)
    expect(await remove('acme', 'count=2', headers, 'heartbeats')).toBe(204)
    expect(await read('acme', 'heartbeats')).toEqual(platform.recorded.acme.heartbeats.slice(3))
  })

  test("a rewind moves one's own queue only", async () => {
    const before = await positionsOf('globe')
    for (const to of [0, '2000-01-01T00:00:00Z']) {
      await platform.reset()
      const answer = await platform.send('POST /api/platform/events/rewind', {
        host: platformHost,
        authorization: bearer('acme'),
        payload: { to },
      })
      expect(answer.json()).toEqual({ data: { position: 0, depth: 5 } })
      expect(await platform.changes()).toEqual(['UPDATE queue_heads', 'INSERT audit_entries'])
    }
    expect(await positionsOf('globe')).toEqual(before)
    expect((await positions())['acme heartbeats']).toBe('1/5')
  })
})

describe('a health report', () => {
  test("tells of one's own queues, by one's own id", async () => {
    const report = async (tenant: Slug, host: string) => {
      const answer = await platform.send('GET /api/v1/health', { host, authorization: bearer(tenant) })
      const { tenant: id, queues } = answer.json()
      return { id, heartbeats: queues.heartbeats.depth }
    }
    await remove('globe', 'count=3', {}, 'heartbeats')
    for (const host of [platformHost, hostOf('acme')])
      expect(await report('acme', host)).toEqual({ id: platform.tenantIds.acme, heartbeats: 4 })
    for (const host of [platformHost, hostOf('globe')])
      expect(await report('globe', host)).toEqual({ id: platform.tenantIds.globe, heartbeats: 1 })
  })
})

test("a rewind is in the audit trail of one's own tenant", async () => {
  const count = async () => {
    const { rows } = await platform.database.pool.query(
      `select t.slug, count(*)::int as entries from audit_entries a join tenants t on t.id = a.tenant_id
       where a.action = 'queue.rewound' group by t.slug`,
    )
    return Object.fromEntries(rows.map(({ slug, entries }) => [slug, entries]))
  }
  const { acme, globe = 0 } = await count()
  await platform.send('POST /api/platform/heartbeats/rewind', {
    host: platformHost,
    authorization: bearer('globe'),
  })
  expect(await count()).toEqual({ acme, globe: globe + 1 })
})

// These record more, so they come last.
describe('two tenants whose pages send the same', () => {
  test('event id, at the same moment and later: each stores its own, once', async () => {
    const id = uuidv7()
    const sent = (tenant: Slug) => collect(tenant, [{ ...exampleEvent, id, session_id: tenant }])
    expect(await Promise.all([sent('acme'), sent('globe')])).toEqual([
      { accepted: 1, duplicates: 0, rejected: [] },
      { accepted: 1, duplicates: 0, rejected: [] },
    ])
    expect(await sent('acme')).toEqual({ accepted: 0, duplicates: 1, rejected: [] })
    for (const tenant of ['acme', 'globe'] as const) {
      const answer = await platform.send('GET /api/platform/events', {
        host: hostOf(tenant),
        authorization: bearer(tenant),
      })
      const found = answer.json().data.events.filter((event: { id: string }) => event.id === id)
      expect(found).toEqual([expect.objectContaining({ session_id: tenant })])
    }
  })

  test('session id: neither sees or removes the events of the other', async () => {
    const [ofAcme, ofGlobe] = [await read('acme'), await read('globe')]
    await collect('acme', [{ ...exampleEvent, id: uuidv7(), session_id: 'session-of-globe' }])
    expect(await read('acme')).toHaveLength(ofAcme.length + 1)
    expect(await read('globe')).toEqual(ofGlobe)
    expect(await remove('acme', 'count=999')).toBe(204)
    expect(await read('globe')).toEqual(ofGlobe)
  })
})

test('no log line of all this holds a key, a mail address, a cookie or a query', () => {
  expect(platform.linesWithSecrets()).toEqual([])
})
