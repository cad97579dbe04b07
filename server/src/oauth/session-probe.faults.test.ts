import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { captureLog } from '../testing/contract/log-lines.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../testing/database-proxy.ts'
import type { SignedIn } from '../testing/oauth-platform.ts'
import {
  allowed,
  codeOf,
  createProbePlatform,
  newAddress,
  nobody,
  type ProbeAnswer,
  type ProbeOptions,
  type ProbePlatform,
} from '../testing/probe-platform.ts'

const { log, lines, linesWithSecrets } = captureLog()
let proxy: DatabaseProxy
let platform: ProbePlatform
let member: SignedIn
beforeAll(async () => {
  platform = await createProbePlatform(
    {},
    {
      log,
      async reachBy(url) {
        proxy = await startDatabaseProxy(url)
        return proxy.url
      },
    },
  )
  member = await platform.signIn()
})
afterAll(async () => {
  await proxy.restore()
  await platform.close()
  await proxy.close()
})

const ofMember = () => platform.ask({ cookie: member.cookie })
/** All is well, and both the client and the session were just looked at. */
beforeEach(async () => {
  await proxy.restore()
  await expect.poll(async () => (await ofMember()).status, { timeout: 20_000 }).toBe(200)
  codeOf(await ofMember())
})

/** Of the answer that says that the database is away, everything but its words. */
async function awayAnswer(options: ProbeOptions): Promise<Omit<ProbeAnswer, 'body'>> {
  const { status, headers, body } = await platform.ask(options)
  const { 'content-length': length, ...others } = headers
  expect([length, JSON.parse(body)]).toEqual([
    String(body.length),
    { message: expect.stringMatching(/^The database .* Try again shortly\.$/) },
  ])
  return { status, headers: others }
}
const bare = { status: 503, headers: { 'content-type': 'application/json', 'retry-after': '1' } }
const readable = {
  ...bare,
  headers: { ...bare.headers, ...allowed, 'access-control-expose-headers': 'Retry-After' },
}

describe.each([
  ['away', () => proxy.cut()],
  ['silent', async () => proxy.freeze()],
] as const)('a database that is %s', (_, lose) => {
  test('is not asked for nobody, whose client is known', async () => {
    await lose()
    expect(await platform.ask()).toEqual(nobody)
    expect(await platform.ask({ cookie: '_SERVICET=nonsense' })).toEqual(nobody)
  })

  test('is 503 for a member, readable for an origin that is known to be registered', async () => {
    const before = await platform.countCodes()
    await lose()
    expect(await awayAnswer({ cookie: member.cookie })).toEqual(readable)
    await proxy.restore()
    await expect.poll(async () => (await ofMember()).status, { timeout: 20_000 }).toBe(200)
    expect(await platform.countCodes()).toBeGreaterThan(before)
  })

  test('is 503, and bare, for an origin that is not known', async () => {
    await lose()
    for (const method of ['GET', 'OPTIONS'])
      expect(
        await awayAnswer({ method, cookie: member.cookie, query: `?client_id=new-${Date.now()}` }),
      ).toEqual(bare)
  })

  test('holds no limit up', async () => {
    const address = newAddress()
    await Promise.all(Array.from({ length: 600 }, () => platform.ask({ address, origin: null })))
    await lose()
    expect((await platform.ask({ address, origin: null })).status).toBe(429)
    // What asks for clients that nobody knows is counted before they are looked up.
    const prober = newAddress()
    const query = `?client_id=new-${Date.now()}`
    const probes = await Promise.all(
      Array.from({ length: 600 }, () => platform.ask({ address: prober, query })),
    )
    expect(new Set(probes.map(({ status }) => status))).toEqual(new Set([503]))
    expect((await platform.ask({ address: prober, origin: null })).status).toBe(429)
  })
})

test('what was known of a client that is asked for again lets its page read the 503', async () => {
  await proxy.cut()
  // Ten seconds after it was looked up it is to be looked up again.
  await expect.poll(async () => (await platform.ask()).status, { timeout: 30_000, interval: 500 }).toBe(503)
  expect(await awayAnswer({})).toEqual(readable)
  expect(await awayAnswer({ origin: 'https://evil.example' })).toEqual(bare)
}, 60_000)

test('no log line of all this holds a cookie, a token or a query', () => {
  expect(lines.length).toBeGreaterThan(0)
  expect(linesWithSecrets([member.token])).toEqual([])
})
