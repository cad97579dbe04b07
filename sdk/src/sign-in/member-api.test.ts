import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, type CollectServer, startCollectServer } from '../testing/collect-server.ts'
import { createTestBrowser } from '../testing/sign-in-page.ts'
import { createFindMember, endSession } from './member-api.ts'

const ada = { id: '1', email: 'ada@example.com', name: 'Ada', created_at: '2026-01-01T00:00:00.000+00:00' }
const found: Answer = { status: 200, body: JSON.stringify({ data: ada }) }

let server: CollectServer
let browser: ReturnType<typeof createTestBrowser>
beforeEach(async () => {
  server = await startCollectServer()
  browser = createTestBrowser(server.origin)
})
afterEach(() => server[Symbol.asyncDispose]())

describe('member', () => {
  test('asks with the token as Bearer, and never in an address', async () => {
    server.answer(found)
    browser.sign('the.device.token')
    expect(await createFindMember(browser.openPage())()).toEqual(ada)
    const [{ method, url, headers } = { headers: {} }] = server.received
    expect([method, url, headers.authorization]).toEqual([
      'GET',
      '/api/sdk/member',
      'Bearer the.device.token',
    ])
  })

  test('is one request for all who ask at once, and another one for another token', async () => {
    server.answer(found, { ...found, body: JSON.stringify({ data: { ...ada, name: 'Bob' } }) })
    browser.sign('token-of.ada')
    const find = createFindMember(browser.openPage())
    const first = [find(), find()]
    browser.sign('token-of.bob')
    const second = find()
    expect(await Promise.all(first)).toEqual([ada, ada])
    expect(await second).toMatchObject({ name: 'Bob' })
    expect(server.received).toHaveLength(2)
  })

  test('asks nobody where there is no token', async () => {
    expect(await createFindMember(browser.openPage())()).toBeNull()
    expect(server.received).toEqual([])
  })

  test.for<[string, Answer | 'hang up', null | undefined]>([
    ['nobody after a 401', { status: 401, body: '{"message":"x"}' }, null],
    ['nothing after a 503', { status: 503, body: '{"message":"x"}' }, undefined],
    ['nothing after a 404', { status: 404, body: '{"message":"x"}' }, undefined],
    ['nothing after no JSON', { status: 200, body: '<html>' }, undefined],
    ['nothing when the connection breaks', 'hang up', undefined],
  ])('knows %s', async ([, answer, expected]) => {
    server.answer(answer)
    browser.sign('a.b.c')
    expect(await createFindMember(browser.openPage())()).toBe(expected)
  })
})

describe('signing out', () => {
  test('ends the session of the token', async () => {
    server.answer({ status: 204 })
    browser.sign('the.device.token')
    expect(await endSession(browser.openPage())).toBe(true)
    const [{ method, url, headers, body } = { headers: {} }] = server.received
    expect([method, url, headers.authorization, body]).toEqual([
      'POST',
      '/api/sdk/sign-out',
      'Bearer the.device.token',
      '',
    ])
  })

  test.for<[string, Answer | 'hang up', boolean]>([
    ['had ended before', { status: 401, body: '{}' }, true],
    ['could not be ended', { status: 503, body: '{}' }, false],
    ['may not have been asked for', 'hang up', false],
  ])('says of a session that it %s', async ([, answer, expected]) => {
    server.answer(answer)
    browser.sign('a.b.c')
    expect(await endSession(browser.openPage())).toBe(expected)
  })

  test('asks nobody where there is no token', async () => {
    expect(await endSession(browser.openPage())).toBe(false)
    expect(server.received).toEqual([])
  })
})
