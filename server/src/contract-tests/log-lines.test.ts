import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ContractPlatform, createContractPlatform } from '../testing/contract/contract-platform.ts'
import { keys } from '../testing/contract/keys.ts'
import { canaries, captureLog } from '../testing/contract/log-lines.ts'
import {
  addressOf,
  bodyOf,
  liveSession,
  operationOf,
  operations,
  operationsWhere,
} from '../testing/contract/operations.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../testing/database-proxy.ts'
import { platformHost } from '../testing/whole-platform.ts'

let proxy: DatabaseProxy
let platform: ContractPlatform
beforeAll(async () => {
  platform = await createContractPlatform(
    {},
    {
      async reachBy(url) {
        proxy = await startDatabaseProxy(url)
        return proxy.url
      },
    },
  )
})
afterAll(async () => {
  await proxy.restore()
  await platform.close()
  await proxy.close()
})

/** Operations at once, with a key, a cookie, a query and a body that are not to be written down. */
function sendEverything(key?: string, names = Object.keys(operations)) {
  return Promise.all(
    names.map(async name => {
      const { site, key: needed, member, query, headers: own } = operationOf(name)
      const { method, path } = addressOf(name)
      const { payload, headers } = bodyOf(name)
      if (path.includes('/social-providers/')) await platform.putProviders('acme')
      const session = member || path.includes(liveSession) ? await platform.signIn('acme', member) : undefined
      const ownKey = { platform: keys.operator, organization: keys.acme, none: keys.acme }[needed]
      const token = key ?? (member ? session?.token : ownKey)
      const answer = await platform.app.inject({
        method,
        url: `${path.replace(liveSession, session?.sessionId ?? '')}?${query ?? ''}&${canaries.query}=1`,
        ...(payload && { payload }),
        headers: {
          ...headers,
          ...own,
          host: site === 'platform' ? platformHost : 'members.acme.example',
          authorization: `Bearer ${token}`,
          cookie: `_SERVICET=${canaries.cookie}`,
        },
      })
      return { name, needed, answer }
    }),
  )
}
/** Resolves when every change until now was told to the platform: notices of changes come in their order. */
async function untilTold(): Promise<void> {
  for (const status of [403, 200]) {
    await platform.database.pool.query(
      "update tenants set suspended_at = case when $1 then now() end where slug = 'globe'",
      [status === 403],
    )
    const ask = () => platform.app.inject({ url: '/sdk.js', headers: { host: 'members.globe.example' } })
    await expect.poll(async () => (await ask()).statusCode).toBe(status)
  }
}
/** What was logged since this was last asked. */
let seen = 0
function newLines(): { level: number; msg: string; requestId?: string; err?: { message: string } }[] {
  const lines = platform.lines.slice(seen)
  seen = platform.lines.length
  return lines.map(line => JSON.parse(line))
}
const nothingSecret = () => expect(platform.linesWithSecrets()).toEqual([])

describe('the search for secrets in the log', () => {
  test.for([
    ['a key', { msg: `no such key: ${keys.acme}` }],
    [
      'a key deep inside',
      { msg: 'x', headers: { deep: { down: { authorization: `Bearer ${keys.acme}` } } } },
    ],
    ['a mail address', { msg: 'left by ann@acme.example' }],
    ['a query', { msg: 'x', url: '/api/platform/events?count=1' }],
    ['a cookie', { msg: `cookie ${canaries.cookie}` }],
    ['a body', { msg: `body ${canaries.body}` }],
  ] as const)('finds %s', ([, line]) => {
    const { log, linesWithSecrets } = captureLog()
    log.info(line)
    log.info({ path: '/api/platform/events', version: '1.2.3', at: 'file.ts:1:2' }, 'all is well')
    expect(linesWithSecrets([keys.acme])).toHaveLength(1)
  })
})

describe('a log line holds no key, mail address, cookie, query or body (threats, "API")', () => {
  test('when all is well, and there is none at all', async () => {
    newLines()
    const names = Object.keys(operations)
    // A few at a time: behind all the others a health report would be late on a busy machine, and say so.
    for (let at = 0; at < names.length; at += 8)
      for (const { name, answer } of await sendEverything(undefined, names.slice(at, at + 8)))
        expect([name, answer.statusCode]).toEqual([name, operationOf(name).status])
    expect(newLines()).toEqual([])
  })

  test('when keys are refused', async () => {
    for (const { needed, answer } of await sendEverything(keys.acmeExpired))
      if (needed !== 'none') expect(answer.statusCode).toBe(401)
    nothingSecret()
  })

  test('when something fails that should not: 500, which tells its request id alone', async () => {
    const { pool } = platform.database
    newLines()
    await pool.query('alter table queue_heads rename to queue_heads_kept')
    const answers = await sendEverything()
    await pool.query('alter table queue_heads_kept rename to queue_heads')
    const failed = answers.filter(({ answer }) => answer.statusCode === 500)
    expect(failed.map(({ name }) => name).toSorted()).toEqual(
      operationsWhere(({ ability }) => ability?.startsWith('events:') ?? false).toSorted(),
    )
    for (const { answer } of failed) {
      const id = answer.headers['x-request-id']
      expect(answer.headers['content-type']).toBe('application/json')
      expect(answer.json()).toEqual({ message: `Something went wrong here. The request's id is ${id}.` })
    }
    const logged = newLines().filter(({ msg }) => msg === 'unexpected error')
    expect(new Set(logged.map(({ requestId }) => requestId))).toEqual(
      new Set(failed.map(({ answer }) => answer.headers['x-request-id'])),
    )
    expect(logged[0]).toMatchObject({
      level: 50,
      err: { message: expect.stringContaining('queue_heads'), error_code: '42P01' },
    })
    nothingSecret()
  })

  test('when a part of the queue cannot be read', async () => {
    newLines()
    await platform.database.pool.query('delete from event_log where position = 3')
    const { answer } = (await sendEverything()).find(({ name }) => name === 'GET /api/platform/events') ?? {}
    expect(answer?.statusCode).toBe(503)
    expect(newLines()).toContainEqual(
      expect.objectContaining({ level: 40, requestId: answer?.headers['x-request-id'] }),
    )
    nothingSecret()
  })

  test('when the database is away: 503, with a reason, and all is well again by itself', async () => {
    await platform.database.pool.query('delete from event_log')
    await platform.database.pool.query('update queue_heads set position = 0')
    await platform.database.pool.query('update queue_tails set position = 0')
    // What is known of a client is believed for ten seconds, unless a change is told meanwhile.
    const remembered = ['GET /oauth/session', 'POST /oauth/revoke', 'POST /oauth/introspect']
    await untilTold()
    await sendEverything(undefined, remembered)
    newLines()
    await proxy.cut()
    const standing = new Set([
      ...remembered,
      'GET /',
      'GET /livez',
      'GET /sdk.js',
      'GET /sdk-:hash.js',
      'GET /sdk-sign-in.js',
      'GET /sdk-sign-in-:hash.js',
      'GET /silent-sign-in/check.js',
      ...Object.keys(operations).filter(name => name.startsWith('OPTIONS ')),
      ...Object.keys(operations).filter(name => name.startsWith('GET /.well-known/')),
      ...Object.keys(operations).filter(name => /openapi|docs/.test(name)),
    ])
    for (const { name, answer } of await sendEverything()) {
      const expected = standing.has(name) ? operationOf(name).status : 503
      expect([name, answer.statusCode]).toEqual([name, expected])
      if (answer.statusCode !== 503) continue
      expect(answer.headers['content-type']).toBe('application/json')
      const body = answer.json()
      if ('message' in body && !('status' in body)) {
        expect([name, answer.headers['retry-after']]).toEqual([name, '1'])
        expect([name, body]).toEqual([name, { message: expect.stringMatching(/\.$/) }])
      } else expect([name, body.status]).toEqual([name, expect.toBeOneOf(['degraded', 'unavailable'])])
    }
    // Keys that were never seen cannot be checked, and must not be written down either.
    const keyed = operationsWhere(({ key }) => key !== 'none')
    for (const { name, answer } of await sendEverything(keys.acmeBoth, keyed))
      expect([name, answer.statusCode]).toEqual([name, 503])
    expect(newLines().length).toBeGreaterThan(0)
    nothingSecret()

    await proxy.restore()
    await expect
      .poll(
        async () =>
          (await sendEverything())
            .filter(
              ({ name, answer }) =>
                answer.statusCode >= 400 && answer.statusCode !== operationOf(name).status,
            )
            .map(({ name, answer }) => `${name} ${answer.statusCode}`),
        { timeout: 15_000 },
      )
      .toEqual([])
    nothingSecret()
  })
})
