import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { WaitingEvent } from './outbox.ts'
import { type Answer, type CollectServer, startCollectServer } from './testing/collect-server.ts'
import { type Outcome, parseRetryAfter, sendEvents } from './transport.ts'

const AT = Date.UTC(2026, 0, 5, 12)
const events = ['1', '2'].map(
  (id): WaitingEvent => ({
    json: JSON.stringify({ id, type: `event_${id}` }),
    bytes: 10,
    member: '',
    triedAtMs: 0,
    underWay: true,
  }),
)

const sent = [
  { id: '1', type: 'event_1' },
  { id: '2', type: 'event_2' },
]

let server: CollectServer
const send = (token = '', isLast = false) =>
  sendEvents(server.endpoint, events, { keepalive: false, isLast, token, now: () => AT })

beforeAll(async () => {
  server = await startCollectServer()
})
beforeEach(() => {
  server.received.length = 0
})
afterAll(() => server[Symbol.asyncDispose]())

describe('a request with events (POST /api/sdk/events)', () => {
  test('is text/plain, without credentials, with the time of sending', async () => {
    expect(await send()).toEqual({ kind: 'done', refused: [] })
    const [request] = server.received
    expect(request?.method).toBe('POST')
    expect(request?.headers['content-type']).toBe('text/plain')
    expect(request?.headers.cookie).toBeUndefined()
    expect(JSON.parse(request?.body ?? '')).toEqual({
      sent_at: '2026-01-05T12:00:00.000Z',
      events: sent,
    })
  })

  test('names the member by their token', async () => {
    await send('a.b."c')
    expect(JSON.parse(server.received[0]?.body ?? '').token).toBe('a.b."c')
  })

  test('is a beacon where a request cannot outlive its page, and then nobody knows what became of it', async () => {
    const keepalive = Object.getOwnPropertyDescriptor(Request.prototype, 'keepalive') as PropertyDescriptor
    const beacons: [string, string][] = []
    const withBeacon = Object.assign(navigator, {
      sendBeacon: (url: string, body: string) => beacons.push([url, body]) > 0,
    })
    Reflect.deleteProperty(Request.prototype, 'keepalive')
    try {
      expect(await send('', true)).toEqual({ kind: 'later', waitMs: 0 })
      expect(await send('', false)).toEqual({ kind: 'done', refused: [] })
    } finally {
      Object.defineProperty(Request.prototype, 'keepalive', keepalive)
      Reflect.deleteProperty(withBeacon, 'sendBeacon')
    }
    expect(beacons.map(([url, body]) => [url, JSON.parse(body).events])).toEqual([[server.endpoint, sent]])
    expect(server.received).toHaveLength(1)
  })

  const rejected = [{ index: 1, message: 'url must be an absolute http or https URL.' }]
  const later = { kind: 'later', waitMs: 0 } as const
  test.for<[string, Answer | 'hang up', Outcome]>([
    [
      'stored, one of them refused',
      { status: 202, body: JSON.stringify({ accepted: 1, duplicates: 0, rejected }) },
      { kind: 'done', refused: ['event_2: url must be an absolute http or https URL.'] },
    ],
    [
      'all refused',
      { status: 422, body: JSON.stringify({ message: 'No event was accepted.', rejected }) },
      { kind: 'done', refused: ['event_2: url must be an absolute http or https URL.'] },
    ],
    [
      'refused as a whole',
      { status: 400, body: '{"message":"Not JSON."}' },
      { kind: 'done', refused: ['Not JSON.'] },
    ],
    [
      'refused, with garbage for reasons',
      { status: 422, body: '{"rejected":{}}' },
      { kind: 'done', refused: ['422'] },
    ],
    [
      'refused, with garbage among the reasons',
      { status: 422, body: '{"rejected":[null]}' },
      { kind: 'done', refused: ['undefined'] },
    ],
    ['forbidden, without a word', { status: 403 }, { kind: 'done', refused: ['403'] }],
    ['too large', { status: 413, body: '{"message":"Too large."}' }, { kind: 'too_large' }],
    ['too many requests', { status: 429, headers: { 'retry-after': '7' } }, { kind: 'later', waitMs: 7000 }],
    ['too slow', { status: 408 }, later],
    ['not now', { status: 503, headers: { 'retry-after': '2' } }, { kind: 'later', waitMs: 2000 }],
    ['a fault', { status: 500, body: '{"message":"?"}' }, later],
    ['a redirect to elsewhere', { status: 302, headers: { location: '/login' } }, later],
    ['200 of something else', { status: 200, body: '<html>Welcome to our Wi-Fi</html>' }, later],
    ['200 with other JSON', { status: 200, body: '{"ok":true}' }, later],
    ['200 with null', { status: 200, body: 'null' }, later],
    ['nothing', 'hang up', later],
  ])('answered: %s', async ([, answer, outcome]) => {
    server.answer(answer)
    expect(await send()).toEqual(outcome)
  })
})

describe('Retry-After (RFC 9110, 10.2.3)', () => {
  test.for<[string | null, number]>([
    ['120', 120_000],
    ['Mon, 05 Jan 2026 12:00:30 GMT', 30_000],
    ['Mon, 05 Jan 2026 11:00:00 GMT', 0],
    ['0', 0],
    ['-5', 0],
    ['soon', 0],
    ['', 0],
    [null, 0],
  ])('%j is a wait of %i ms', ([value, waitMs]) => {
    expect(parseRetryAfter(value, AT)).toBe(waitMs)
  })
})
