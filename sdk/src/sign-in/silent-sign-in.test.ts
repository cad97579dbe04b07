import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, type CollectServer, startCollectServer } from '../testing/collect-server.ts'
import { createTestBrowser } from '../testing/sign-in-page.ts'
import { createSilentSignIn } from './silent-sign-in.ts'

const MINUTE_MS = 60_000
const clientId = 'news'
const code = 'c'.repeat(64)
const yes: Answer = { status: 200, body: JSON.stringify({ status: 'authenticated', code, expires_in: 30 }) }
const no: Answer = { status: 200, body: '{"status":"unauthenticated"}' }
const limited = { status: 'unknown', reason: 'limited' }

let server: CollectServer
let browser: ReturnType<typeof createTestBrowser>
let ask: ReturnType<typeof createSilentSignIn>

beforeEach(async () => {
  server = await startCollectServer()
  browser = createTestBrowser(server.origin)
  ask = createSilentSignIn(browser.openPage())
})
afterEach(() => server[Symbol.asyncDispose]())

describe('silentSignIn', () => {
  test('asks the probe by a GET without a header that would need a preflight, and gives the code', async () => {
    server.answer(yes)
    expect(await ask({ clientId: 'a/b&c' })).toEqual({ status: 'authenticated', code, expiresInS: 30 })
    const [{ method, url, headers } = { headers: {} }] = server.received
    expect([method, url]).toEqual(['GET', '/oauth/session?client_id=a%2Fb%26c'])
    expect(Object.keys(headers)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:authorization|content-type|x-)/)]),
    )
  })

  test.for([undefined, {}, { clientId: '' }])(
    'asks nobody without a client, and says so: %j',
    async asked => {
      expect(await ask(asked)).toEqual({ status: 'unknown', reason: 'no_client_id' })
      expect(server.received).toEqual([])
    },
  )

  test('asks again for each code, as one is good once', async () => {
    server.answer(yes, yes)
    await ask({ clientId })
    await ask({ clientId })
    expect(server.received).toHaveLength(2)
  })

  test('remembers for a minute that nobody is there, for all pages, for this client', async () => {
    server.answer(no, no, no)
    expect(await ask({ clientId })).toEqual({ status: 'unauthenticated' })
    browser.clock.advance(MINUTE_MS - 1)
    expect(await ask({ clientId })).toEqual({ status: 'unauthenticated' })
    expect(await createSilentSignIn(browser.openPage())({ clientId })).toEqual({ status: 'unauthenticated' })
    expect(server.received).toHaveLength(1)
    await ask({ clientId: 'other' })
    expect(server.received).toHaveLength(2)
    browser.clock.advance(1)
    await ask({ clientId })
    expect(server.received).toHaveLength(3)
  })

  test('forgets that nobody was there when the cookie is another', async () => {
    server.answer(no, yes)
    await ask({ clientId })
    browser.sign('header.payload.signature-of-ada')
    expect(await ask({ clientId })).toMatchObject({ status: 'authenticated' })
    expect(JSON.stringify(browser.storage)).not.toContain('payload')
  })

  test('is one request for all who ask at once, and one at a time for two clients', async () => {
    server.answer('silence', yes)
    const first = [ask({ clientId: 'slow', timeoutMs: 200 }), ask({ clientId: 'slow', timeoutMs: 200 })]
    const next = ask({ clientId })
    await expect.poll(() => server.received.length).toBe(1)
    expect(await Promise.all(first)).toEqual(Array(2).fill({ status: 'unknown', reason: 'timeout' }))
    expect(await next).toMatchObject({ status: 'authenticated' })
    expect(server.received.map(({ url }) => url)).toEqual([
      '/oauth/session?client_id=slow',
      '/oauth/session?client_id=news',
    ])
  })

  test.for<[Record<string, string>, number]>([
    [{ 'retry-after': '7' }, 7_000],
    [{}, MINUTE_MS],
    [{ 'retry-after': 'soon' }, MINUTE_MS],
    [{ 'retry-after': '0' }, MINUTE_MS],
  ])('leaves the server alone in every tab after a 429 with %j', async ([headers, waitMs]) => {
    server.answer({ status: 429, headers }, yes)
    expect(await ask({ clientId })).toEqual(limited)
    browser.clock.advance(waitMs - 1)
    expect(await createSilentSignIn(browser.openPage())({ clientId })).toEqual(limited)
    expect(server.received).toHaveLength(1)
    browser.clock.advance(1)
    expect(await ask({ clientId })).toMatchObject({ status: 'authenticated' })
  })

  test.for<[string, Answer | 'hang up']>([
    ['a refusal', { status: 403, body: '{"error":"invalid_request"}' }],
    ['a fault', { status: 500, body: '{"message":"x"}' }],
    ['no JSON', { status: 200, body: '<html>' }],
    ['another JSON', { status: 200, body: '{"status":"authenticated"}' }],
    ['null', { status: 200, body: 'null' }],
    ['a connection that breaks', 'hang up'],
  ])('knows nothing after %s, and remembers nothing', async ([, answer]) => {
    server.answer(answer, yes)
    expect(await ask({ clientId })).toEqual({ status: 'unknown', reason: 'failed' })
    expect(await ask({ clientId })).toMatchObject({ status: 'authenticated' })
  })
})
