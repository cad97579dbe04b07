import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, type CollectServer, startCollectServer } from '../testing/collect-server.ts'
import { createTestBrowser } from '../testing/sign-in-page.ts'
import { answerCheck } from './answer-check.ts'
import { noteNo } from './silent-sign-in.ts'

let server: CollectServer
let browser: ReturnType<typeof createTestBrowser>
let posted: unknown[][]
const opener = { postMessage: (...given: unknown[]) => void posted.push(given) } as unknown as Window

beforeEach(async () => {
  server = await startCollectServer()
  browser = createTestBrowser(server.origin)
  posted = []
})
afterEach(() => server[Symbol.asyncDispose]())

const yes: Answer = {
  status: 200,
  body: JSON.stringify({ status: 'authenticated', code: 'c', expires_in: 30 }),
}

describe('the doctor’s check', () => {
  test.for<[string, Answer | 'hang up']>([
    ['authenticated', yes],
    ['unauthenticated', { status: 200, body: '{"status":"unauthenticated"}' }],
    ['limited', { status: 429 }],
    ['failed', { status: 403, body: '{"error":"invalid_request"}' }],
    ['failed', 'hang up'],
  ])('is told %s, to the tenant’s window alone, without the code', async ([outcome, answer]) => {
    server.answer(answer)
    await answerCheck(browser.openPage(), '#usher-check=news%20desk', opener)
    expect(posted).toEqual([
      [{ type: 'usher-check', clientId: 'news desk', outcome, hasCookie: false }, server.origin],
    ])
    expect(server.received.map(({ url }) => url)).toEqual(['/oauth/session?client_id=news%20desk'])
  })

  test('asks freshly, and says whether the page sees the cookie', async () => {
    server.answer(yes)
    browser.sign('a.b.c')
    const page = browser.openPage()
    noteNo(page, 'news', page.mark())
    await answerCheck(page, '#usher-check=news', opener)
    expect(posted[0]?.[0]).toMatchObject({ outcome: 'authenticated', hasCookie: true })
  })

  test.for<[string, string, Window | null]>([
    ['no opener', '#usher-check=news', null],
    ['no client', '#usher-check=', opener],
    ['another fragment', '#section', opener],
    ['no fragment', '', opener],
  ])('does nothing with %s', async ([, hash, by]) => {
    await answerCheck(browser.openPage(), hash, by)
    expect([posted, server.received]).toEqual([[], []])
  })
})
