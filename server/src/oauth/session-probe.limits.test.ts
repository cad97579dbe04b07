import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addClientAddress } from '../foundation/http/index.ts'
import { openRateLimits } from '../foundation/rate-limits/index.ts'
import { parseRedisUrl } from '../foundation/redis/index.ts'
import { openTenancy, type Tenancy } from '../tenancy/index.ts'
import { buildEdgeApp, type EdgeApp } from '../testing/edge.ts'
import { needsProgram } from '../testing/needs-program.ts'
import { hostOf } from '../testing/oauth-platform.ts'
import {
  allowed,
  codeOf,
  createProbePlatform,
  newAddress,
  news,
  nobody,
  type ProbeOptions,
  type ProbePlatform,
  refused,
} from '../testing/probe-platform.ts'
import { startRedisServer } from '../testing/redis-server.ts'
import { platformHost } from '../testing/whole-platform.ts'
import { openOAuth } from './open-oauth.ts'
import { sessionProbeRoutes } from './session-probe.routes.ts'

let platform: ProbePlatform
let tenancy: Tenancy
beforeAll(async () => {
  platform = await createProbePlatform()
  const { url } = platform.database
  tenancy = openTenancy({ databaseUrl: url, directUrl: url, platformHost })
})
afterAll(async () => {
  await tenancy.close()
  await platform.close()
})

const message = 'Too many probes. Ask again later, and remember the answer.'
const body = JSON.stringify({ message })
const retryAfter = expect.stringMatching(/^([1-9]|[1-5]\d|60)$/)
const bare = {
  status: 429,
  headers: {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'retry-after': retryAfter,
  },
  body,
}
/** For a page that may read it. */
const readable = {
  ...bare,
  headers: { ...bare.headers, ...allowed, 'access-control-expose-headers': 'Retry-After' },
}

/** Sends so many at once, and answers their statuses, each with its number. */
async function statusesOf(count: number, options: ProbeOptions): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: count }, () => platform.ask(options)))
  const statuses: Record<number, number> = {}
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
  return statuses
}

describe('120 requests a minute of a browser for a client (interface 8)', () => {
  test('the 121st is the first 429, of one without a cookie known by its address and user agent', async () => {
    const browser = { address: newAddress(), headers: { 'User-Agent': 'Firefox' } }
    for (let count = 1; count <= 120; count++) expect(await platform.ask(browser)).toEqual(nobody)
    expect(await platform.ask(browser)).toEqual(readable)
    expect(await platform.ask(browser)).toEqual(readable)
    expect(await platform.ask({ ...browser, headers: { 'User-Agent': 'Chrome' } })).toEqual(nobody)
    expect(await platform.ask({ ...browser, address: newAddress() })).toEqual(nobody)
    expect(await platform.ask({ ...browser, query: '?client_id=strict' })).toEqual(nobody)
    const { cookie } = await platform.signIn()
    codeOf(await platform.ask({ ...browser, cookie }))
  })

  test('of one with a session cookie known by that, wherever it comes from', async () => {
    const { cookie } = await platform.signIn()
    expect(await statusesOf(121, { cookie })).toEqual({ 200: 120, 429: 1 })
    const before = await platform.countCodes()
    expect(await platform.ask({ cookie, headers: { 'User-Agent': 'another' } })).toEqual(readable)
    expect(await platform.ask({ cookie: `other=1; ${cookie}` })).toEqual(readable)
    expect(await platform.countCodes()).toBe(before)
    codeOf(await platform.ask({ cookie, query: '?client_id=strict' }))
    codeOf(await platform.ask({ cookie: (await platform.signIn()).cookie }))
  })

  test('of one with several session cookies known by all of them, so that one planted in many holds none up', async () => {
    const [planted, mine, yours] = await Promise.all(
      [1, 2, 3].map(async () => (await platform.signIn()).cookie),
    )
    const of = (cookie: string | undefined) => ({ cookie: `${planted}; ${cookie}` })
    expect(await statusesOf(121, of(mine))).toEqual({ 200: 120, 429: 1 })
    expect((await platform.ask(of(yours))).status).toBe(200)
  })

  test('of one without a cookie known by the /64 of its address', async () => {
    const ask = (address: string, count = 1) => statusesOf(count, { address })
    expect(await ask('2001:db8:5:6::1', 60)).toEqual({ 200: 60 })
    expect(await ask('2001:db8:5:6:ffff::2', 60)).toEqual({ 200: 60 })
    expect(await ask('2001:db8:5:6:1:2:3:4')).toEqual({ 429: 1 })
    expect(await ask('2001:db8:5:7::1')).toEqual({ 200: 1 })
  })

  test('is counted for each tenant, whose clients may be called the same', async () => {
    const browser = { address: newAddress(), headers: { 'User-Agent': 'Firefox' } }
    expect(await statusesOf(121, browser)).toEqual({ 200: 120, 429: 1 })
    const atGlobe = { host: hostOf('globe'), origin: 'https://news.globe.example' }
    expect((await platform.ask({ ...browser, ...atGlobe })).status).toBe(200)
  })

  test('is not used up by what is refused, nor by preflights', async () => {
    const browser = { address: newAddress(), headers: { 'User-Agent': 'Firefox' } }
    expect(await statusesOf(130, { ...browser, origin: 'https://evil.example' })).toEqual({ 403: 130 })
    expect(await statusesOf(130, { ...browser, method: 'OPTIONS' })).toEqual({ 204: 130 })
    expect(await platform.ask(browser)).toEqual(nobody)
  })
})

describe('600 requests a minute of an address (interface 8)', () => {
  test('the 601st is the first 429, whatever they ask for: bare, unless the origin is registered', async () => {
    const address = newAddress()
    expect(await statusesOf(300, { address, origin: null })).toEqual({ 403: 300 })
    expect(await statusesOf(100, { address, query: '?client_id=nobody' })).toEqual({ 403: 100 })
    expect(await statusesOf(199, { address, query: '' })).toEqual({ 403: 199 })
    expect(await platform.ask({ address })).toEqual(nobody)
    for (const unregistered of [
      { origin: null },
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: [news, news] },
      { query: '' },
      { query: '?client_id=nobody' },
      { query: '?client_id=off' },
      { query: '?client_id=closed' },
    ])
      expect(await platform.ask({ address, ...unregistered })).toEqual(bare)
    const { cookie } = await platform.signIn()
    const before = await platform.countCodes()
    expect(await platform.ask({ address, cookie })).toEqual(readable)
    expect(await platform.countCodes()).toBe(before)
    expect(await platform.ask()).toEqual(nobody)
  })

  test('an IPv6 address is limited with its network of /64', async () => {
    const ask = (address: string, count = 1) => statusesOf(count, { address, origin: null })
    expect(await ask('2001:db8:1:2::1', 300)).toEqual({ 403: 300 })
    expect(await ask('2001:db8:1:2:ffff::2', 300)).toEqual({ 403: 300 })
    expect(await ask('2001:db8:1:2:3:4:5:6')).toEqual({ 429: 1 })
    expect(await ask('2001:db8:1:3::1')).toEqual({ 403: 1 })
  })

  test('is counted first: it says 429 also where the request would be refused', async () => {
    const address = newAddress()
    await statusesOf(600, { address, origin: null })
    expect(await platform.ask({ address, origin: null })).toEqual(bare)
    // A preflight is not counted, and refused as ever.
    expect(await platform.ask({ address, method: 'OPTIONS', origin: null })).toEqual(refused)
  })
})

/** The route alone, as a further process has it. */
async function openProcess(limits: Pick<Parameters<typeof openRateLimits>[0], 'redis' | 'nowMs'>) {
  const { db } = platform.database
  const publicUrl = new URL(`http://${platformHost}`)
  const oauth = openOAuth({ db, members: platform.members, publicUrl })
  const told: string[] = []
  const tell = { away: () => told.push('away'), back: () => told.push('back') }
  const rateLimits = openRateLimits({ markKey: Buffer.alloc(32), tell, ...limits })
  const edge = await buildEdgeApp(tenancy, publicUrl.href, async app => {
    addClientAddress(app, [])
    await app.register(sessionProbeRoutes({ ...oauth.parts, rateLimits }))
  })
  return {
    ask: (headers: Record<string, string> = {}) => ask(edge, headers),
    told,
    async close() {
      await edge.app.close()
      rateLimits.close()
    },
  }
}
const ask = async ({ send }: EdgeApp, headers: Record<string, string>) => {
  const sent = { origin: news, 'user-agent': 'Firefox', ...headers }
  const answer = await send(hostOf(), '/oauth/session?client_id=partner', { headers: sent })
  return [answer.statusCode, answer.headers['retry-after']]
}
const good = [200, undefined]

test('a window begins with its first request and ends after 60 seconds, and Retry-After says when', async () => {
  let nowMs = 1_000_000
  const one = await openProcess({ nowMs: () => nowMs })
  for (let count = 1; count <= 119; count++) expect(await one.ask()).toEqual(good)
  nowMs += 30_000
  expect([await one.ask(), await one.ask()]).toEqual([good, [429, '30']])
  nowMs += 29_001
  expect(await one.ask()).toEqual([429, '1'])
  nowMs += 999
  for (let count = 1; count <= 120; count++) expect(await one.ask()).toEqual(good)
  expect(await one.ask()).toEqual([429, '60'])
  await one.close()
})

test.skipIf(needsProgram('redis-server'))(
  'several processes have one window through Redis, and each its own while that is away',
  async () => {
    const server = await startRedisServer()
    const redis = parseRedisUrl(server.url)
    const [one, other] = [await openProcess({ redis }), await openProcess({ redis })]
    const count = async (process: typeof one, headers: Record<string, string>) => {
      let answered = 0
      for (let sent = 0; sent < 121; sent++) if ((await process.ask(headers))[0] === 200) answered++
      return answered
    }
    try {
      // Both are connected once both have counted there: the address, and a browser each.
      const client = server.client()
      for (const [at, process] of [one, other].entries())
        await expect
          .poll(
            async () => {
              await process.ask({ 'user-agent': `first ${at}` })
              return client.dbsize()
            },
            { timeout: 15_000 },
          )
          .toBe(at + 2)
      const browser = { 'user-agent': 'shared' }
      for (let sent = 0; sent < 100; sent++) expect(await one.ask(browser)).toEqual(good)
      expect(await count(other, browser)).toBe(20)
      expect((await one.ask(browser))[0]).toBe(429)
      await server.kill()
      const lonely = { 'user-agent': 'lonely' }
      expect([await count(one, lonely), await count(other, lonely)]).toEqual([120, 120])
      await expect.poll(() => [one.told, other.told]).toEqual([['away'], ['away']])
    } finally {
      await one.close()
      await other.close()
      await server.close()
    }
  },
)
