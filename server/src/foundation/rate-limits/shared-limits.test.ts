import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { needsProgram } from '../../testing/needs-program.ts'
import { type RedisServer, startRedisServer } from '../../testing/redis-server.ts'
import { parseRedisUrl } from '../redis/index.ts'
import { openRateLimits, type RateLimit, type RateLimits } from './open-rate-limits.ts'

const isMissing = needsProgram('redis-server')
const markKey = Buffer.alloc(32, 5)
const address = '203.0.113.77'
/** Redis is left alone for a second after a failure, and connected to again a second later at the latest. */
const soon = { timeout: 15_000 }

let opened: RateLimits[] = []
afterEach(() => {
  for (const limits of opened) limits.close()
  opened = []
})

interface Process {
  limit: RateLimit
  told: string[]
}

/** The limits of a further process. */
function openProcess(url: string, { most = 5, windowS = 60, name = 'probe', key = markKey } = {}): Process {
  const told: string[] = []
  const tell = { away: () => told.push('away'), back: () => told.push('back') }
  const limits = openRateLimits({ redis: parseRedisUrl(url), markKey: key, tell })
  opened.push(limits)
  return { limit: limits.limit({ name, most, windowS }), told }
}

/** Counts a key of its own until Redis is asked: an answer of this process alone comes at once. */
async function untilShared({ limit }: Process): Promise<void> {
  await expect.poll(() => limit.count(`key ${keys++}`) instanceof Promise, soon).toBe(true)
}

/** What a process told once a key of its own was counted. */
async function toldAfterOne({ limit, told }: Process): Promise<string[]> {
  await limit.count(`key ${keys++}`)
  return told
}
let keys = 0

/** How often a key is counted, by each process in turn, until that is one too many. */
async function countUntil(processes: readonly Process[], key = address): Promise<number> {
  for (let count = 1; count < 100; count++) {
    const waitS = await processes[count % processes.length]?.limit.count(key)
    if (waitS !== 0) return count
  }
  return Number.NaN
}

describe.skipIf(isMissing).each([{ cluster: false }, { cluster: true }])(
  'limits shared through Redis, %o',
  ({ cluster }) => {
    let redis: RedisServer
    beforeAll(async () => {
      redis = await startRedisServer({ cluster })
    })
    afterAll(() => redis.close())
    beforeEach(() => redis.client().flushall())

    test('are one window for several processes', async () => {
      const processes = [openProcess(redis.url), openProcess(redis.url), openProcess(redis.url)]
      for (const one of processes) await untilShared(one)
      expect(await countUntil(processes)).toBe(6)
      for (const { limit } of processes) {
        expect(await limit.wait(address)).toBeGreaterThan(55)
        expect(await limit.count(address)).toBeLessThanOrEqual(60)
        // A key that is over its limit is not asked for: a number at once, and no promise.
        expect(limit.count(address)).toBeGreaterThan(55)
      }
      expect(processes.flatMap(({ told }) => told)).toEqual([])
    })

    test('tell a process that counted nothing whether one more would be too many, and do not count that', async () => {
      const [one, other] = [openProcess(redis.url), openProcess(redis.url)]
      for (const each of [one, other]) await untilShared(each)
      for (let count = 1; count <= 4; count++) expect(await one.limit.count(address)).toBe(0)
      expect([await other.limit.wait(address), await other.limit.wait(address)]).toEqual([0, 0])
      expect(await one.limit.count(address)).toBe(0)
      expect(await other.limit.wait(address)).toBeGreaterThan(55)
    })

    test('begin anew when the window has ended, whoever began it', async () => {
      const [one, other] = [openProcess(redis.url, { windowS: 2 }), openProcess(redis.url, { windowS: 2 })]
      for (const each of [one, other]) await untilShared(each)
      expect(await countUntil([one, other])).toBe(6)
      await expect.poll(() => other.limit.wait(address), soon).toBe(0)
      expect(await countUntil([one, other])).toBe(6)
    })

    test('end when the first count said, whatever is counted after it', async () => {
      const one = openProcess(redis.url)
      await untilShared(one)
      await one.limit.count(address)
      const client = redis.client()
      const keys = await client.keys('*')
      for (const key of keys) await client.pexpire(key, 10_000)
      expect(await one.limit.count(address)).toBe(0)
      for (const key of keys) expect(await client.pttl(key)).toBeLessThanOrEqual(10_000)
    })

    test('leave keys in Redis that end, and that hold neither an address nor a token, nor tell of one in two limits', async () => {
      for (const name of ['probe', 'collect']) {
        const one = openProcess(redis.url, { name })
        await untilShared(one)
        await one.limit.count(address)
      }
      const client = redis.client()
      const keys = await client.keys('*')
      expect(keys.length).toBeGreaterThan(1)
      for (const key of keys) {
        expect(key).toMatch(/^usher:limit:(probe|collect):[\w-]{43}$/)
        expect(await client.pttl(key)).toBeGreaterThan(0)
      }
      expect(new Set(keys.map(key => key.split(':').at(-1))).size).toBe(keys.length)
    })

    test('cannot be told by who knows an address, but not the secret', async () => {
      const one = openProcess(redis.url)
      const stranger = openProcess(redis.url, { key: Buffer.alloc(32, 6) })
      for (const each of [one, stranger]) await untilShared(each)
      expect(await countUntil([one])).toBe(6)
      expect(await stranger.limit.count(address)).toBe(0)
    })

    test('mend a key that was left without its end', async () => {
      const one = openProcess(redis.url)
      await untilShared(one)
      await one.limit.count(address)
      const client = redis.client()
      for (const key of await client.keys('*')) await client.persist(key)
      await one.limit.count(address)
      const ends = await Promise.all((await client.keys('*')).map(key => client.pttl(key)))
      expect(Math.max(...ends)).toBeGreaterThan(55_000)
    })
  },
)

describe.skipIf(isMissing)('when Redis fails', () => {
  let redis: RedisServer
  beforeEach(async () => {
    redis = await startRedisServer()
  })
  afterEach(() => redis.close())

  test('killed and started again: each goes on where the window was, says so once, and shares again', async () => {
    const one = openProcess(redis.url)
    const other = openProcess(redis.url)
    for (const each of [one, other]) await untilShared(each)
    for (const each of [one, other, one, other]) expect(await each.limit.count(address)).toBe(0)
    await redis.kill()
    await expect.poll(() => [one.told, other.told], soon).toEqual([['away'], ['away']])
    // The other counted last, and knows of four.
    expect(await other.limit.count(address)).toBe(0)
    expect(await other.limit.count(address)).toBeGreaterThan(0)
    for (let count = 0; count < 20; count++) expect(one.limit.count(`of the outage ${count}`)).toBe(0)

    await redis.restart()
    for (const each of [one, other])
      await expect.poll(() => toldAfterOne(each), soon).toEqual(['away', 'back'])
    expect(await countUntil([one, other], 'another')).toBe(6)
  })

  test.for([{ cluster: false }, { cluster: true }])(
    'frozen, %o: nobody waits long, and it is back by itself',
    async ({ cluster }) => {
      await redis.close()
      redis = await startRedisServer({ cluster })
      const one = openProcess(redis.url)
      await untilShared(one)
      redis.freeze()
      // All that were on their way are answered by this process, and those that come after it at once.
      const waiting = await Promise.all(
        Array.from({ length: 50 }, (_, at) => one.limit.count(`frozen ${at}`)),
      )
      expect(waiting).toEqual(waiting.map(() => 0))
      expect(one.told).toEqual(['away'])
      expect(one.limit.count('now')).toBe(0)
      redis.thaw()
      await expect.poll(() => toldAfterOne(one), soon).toEqual(['away', 'back'])
    },
  )

  test('out of memory: it is left alone for a second after each refusal, and limits hold', async () => {
    const one = openProcess(redis.url)
    await untilShared(one)
    await redis.client().config('SET', 'maxmemory', '1')
    expect(await one.limit.count(address)).toBe(0)
    expect(one.told).toEqual(['away'])
    // Not asked: a number at once, and no promise.
    expect([1, 2, 3, 4].map(() => one.limit.count(address))).toEqual([0, 0, 0, 0])
    expect(one.limit.count(address)).toBeGreaterThan(0)
    await redis.client().config('SET', 'maxmemory', '0')
    await expect.poll(() => toldAfterOne(one), soon).toEqual(['away', 'back'])
  })

  test('away at the start: limits hold all the same', async () => {
    await redis.kill()
    const one = openProcess(redis.url)
    expect(await countUntil([one])).toBe(6)
    await expect.poll(() => one.told, soon).toEqual(['away'])
    await redis.restart()
    await untilShared(one)
  })

  test('closed: nothing is told any more, and nothing is left open', async () => {
    const one = openProcess(redis.url)
    await untilShared(one)
    const connected = async () => (await redis.client().client('LIST')) as string
    expect(await connected()).toContain('name=usher ')
    for (const limits of opened) limits.close()
    await expect.poll(connected, soon).not.toContain('name=usher ')
    expect(one.told).toEqual([])
  })
})

test.skipIf(isMissing)(
  'a server that wants a password gets it, and one that refuses it is away',
  async () => {
    const redis = await startRedisServer()
    try {
      await redis.client().config('SET', 'requirepass', 'secret')
      const right = openProcess(redis.url.replace('//', '//:secret@'))
      await untilShared(right)
      await right.limit.count(address)
      const wrong = openProcess(redis.url.replace('//', '//:wrong@'))
      await expect.poll(() => toldAfterOne(wrong), soon).toEqual(['away'])
      expect(right.told).toEqual([])
    } finally {
      await redis.close()
    }
  },
)
