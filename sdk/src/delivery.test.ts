import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDelivery } from './delivery.ts'
import { createOutbox, type WaitingEvent } from './outbox.ts'
import { createPageLocks } from './page-locks.ts'
import { openStorage } from './storage.ts'
import { createClock } from './testing/clock.ts'
import { type CollectServer, startCollectServer } from './testing/collect-server.ts'
import { createWebStorage } from './testing/web-storage.ts'
import { sendEvents } from './transport.ts'

const HOUR_MS = 60 * 60_000

let server: CollectServer
beforeEach(async () => {
  server = await startCollectServer()
})
afterEach(() => server[Symbol.asyncDispose]())

/** A page that sends to the server for real, by a clock that the test moves. */
function openPage(web = createWebStorage(), clock = createClock(), pageId = 'a') {
  const { now, schedule } = clock
  const storage = openStorage(() => web)
  const outbox = createOutbox({
    storage,
    prefix: 'events:',
    pageId,
    now,
    defer: write => write(),
    locks: createPageLocks(undefined),
  })
  const underWay = new Set<Promise<unknown>>()
  const keepalives: boolean[] = []
  const lasts: boolean[] = []
  const refused: string[] = []
  const network = { online: true }
  const delivery = createDelivery({
    outbox,
    send(events: WaitingEvent[], keepalive, isLast) {
      keepalives.push(keepalive)
      lasts.push(isLast)
      const request = sendEvents(server.endpoint, events, { keepalive, isLast, token: '', now })
      underWay.add(request)
      return request.finally(() => underWay.delete(request))
    },
    storage,
    key: 'wait',
    now,
    random: () => 0.5,
    schedule,
    isOnline: () => network.online,
    onRefused: message => void refused.push(message),
  })
  const settle = async () => {
    while (underWay.size > 0) await Promise.all(underWay)
    // What follows upon the answer runs before this goes on.
    await new Promise(resolve => setImmediate(resolve))
  }
  return {
    clock,
    delivery,
    add: (event: object, member = '') => outbox.add(JSON.stringify(event), member),
    keepalives,
    lasts,
    network,
    outbox,
    refused,
    settle,
    storage,
    track(...ids: string[]) {
      for (const id of ids) outbox.add(JSON.stringify({ id, type: `event_${id}` }), '')
      delivery.wake()
    },
    async advance(ms: number) {
      clock.advance(ms)
      await settle()
    },
  }
}

describe('events are delivered', () => {
  test('at once when nothing is under way, and those tracked meanwhile together', async () => {
    const page = openPage()
    page.track('1')
    page.clock.advance(0)
    page.track('2')
    page.track('3')
    await page.settle()
    expect(server.batches()).toEqual([['1']])
    await page.advance(1000)
    expect(server.batches()).toEqual([['1'], ['2', '3']])
    await page.advance(HOUR_MS)
    expect(server.received).toHaveLength(2)
  })

  test('at most 100 in a request', async () => {
    const page = openPage()
    page.track(...Array.from({ length: 250 }, (_, n) => `${n}`))
    await page.advance(0)
    // No pause before another full one.
    await page.advance(0)
    await page.advance(999)
    expect(server.batches().map(ids => ids.length)).toEqual([100, 100])
    await page.advance(1)
    expect(server.batches().map(ids => ids.length)).toEqual([100, 100, 50])
    expect(new Set(server.batches().flat()).size).toBe(250)
  })

  test('of one member in a request', async () => {
    const page = openPage()
    for (const [id, member] of [
      ['1', ''],
      ['2', 'ada'],
      ['3', 'ada'],
      ['4', ''],
      ['5', 'bob'],
    ] as const)
      page.add({ id }, member)
    page.delivery.wake()
    for (let n = 0; n < 4; n++) await page.advance(1000)
    expect(server.batches()).toEqual([['1', '4'], ['2', '3'], ['5']])
  })

  test('at most 256 KiB in a request, and outliving the page only where 64 KiB hold it', async () => {
    const page = openPage()
    for (let n = 0; n < 3; n++) page.add({ id: `${n}`, padding: 'x'.repeat(80 * 1024) })
    page.track('3')
    await page.advance(0)
    await page.advance(1000)
    page.track('4')
    await page.advance(1000)
    expect(server.batches()).toEqual([['0', '1', '2', '3'], ['4']])
    expect(Math.max(...server.received.map(({ body }) => body.length))).toBeLessThan(256 * 1024)
    expect(page.keepalives).toEqual([false, true])
  })
})

describe('events that were not acknowledged are sent again', () => {
  test.for([
    ['503', { status: 503 }],
    ['500', { status: 500 }],
    ['429', { status: 429 }],
    ['408', { status: 408 }],
    ['a closed connection', 'hang up'],
    ['a page of something else', { status: 200, body: '<html>' }],
  ] as const)('with the same ids, after %s', async ([, answer]) => {
    const page = openPage()
    server.answer(answer, answer)
    page.track('1', '2')
    await page.advance(0)
    page.track('3')
    await page.advance(749)
    expect(server.received).toHaveLength(1)
    await page.advance(1)
    await page.advance(1500)
    expect(server.batches()).toEqual([
      ['1', '2'],
      ['1', '2', '3'],
      ['1', '2', '3'],
    ])
    await page.advance(HOUR_MS)
    expect(server.received).toHaveLength(3)
  })

  test('at growing distances, at most 2 minutes', async () => {
    const page = openPage()
    server.answer(...Array.from({ length: 12 }, () => ({ status: 503 })))
    page.track('1')
    const gaps: number[] = []
    let lastMs = page.clock.now()
    while (server.received.length < 12) {
      const before = server.received.length
      await page.advance(250)
      if (server.received.length === before) continue
      gaps.push(page.clock.now() - lastMs)
      lastMs = page.clock.now()
    }
    // 1 s, 2 s, 4 s … 120 s, of each three quarters by the random number of this test.
    expect(gaps.slice(1)).toEqual([
      750, 1500, 3000, 6000, 12_000, 24_000, 48_000, 90_000, 90_000, 90_000, 90_000,
    ])
  })

  test('not before the moment that Retry-After names, neither in a hurry nor leaving', async () => {
    const page = openPage()
    server.answer({ status: 503, headers: { 'retry-after': '60' } })
    page.track('1')
    await page.advance(0)
    page.delivery.hurry()
    page.delivery.leave()
    await page.advance(59_999)
    expect(server.received).toHaveLength(1)
    await page.advance(1)
    expect(server.batches()).toEqual([['1'], ['1']])
  })

  test('not before that moment by another page of the site, nor by a later one', async () => {
    const web = createWebStorage()
    const clock = createClock()
    const told = openPage(web, clock)
    const other = openPage(web, clock, 'b')
    server.answer({ status: 429, headers: { 'retry-after': '60' } })
    other.track('2')
    other.clock.advance(0)
    await other.settle()
    told.track('1')
    const later = openPage(web, clock, 'c')
    later.track('3')
    later.delivery.leave()
    await told.advance(59_999)
    expect(server.batches()).toEqual([['2']])
    await told.advance(1)
    await Promise.all([told.settle(), other.settle(), later.settle()])
    expect(server.batches().sort()).toEqual([['1'], ['2'], ['2'], ['3']])
    expect(web.getItem('wait')).toBe(null)
  })

  test('without regard to a moment that a clock gone wrong has put far away', async () => {
    const page = openPage()
    page.storage.set('wait', String(page.clock.now() + 2 * HOUR_MS))
    page.track('1')
    await page.advance(0)
    expect(server.batches()).toEqual([['1']])
  })

  test('at once when there is news, and from the start of the scale after a success', async () => {
    const page = openPage()
    const unavailable = { status: 503 }
    server.answer(unavailable, unavailable, unavailable, unavailable)
    page.track('1')
    for (const ms of [0, 750, 1500]) await page.advance(ms)
    page.delivery.hurry()
    await page.advance(0)
    expect(server.received).toHaveLength(4)
    page.delivery.hurry()
    await page.advance(0)
    expect(server.received).toHaveLength(5)
    server.answer(unavailable)
    page.track('2')
    await page.advance(1000)
    await page.advance(750)
    expect(server.batches().slice(5)).toEqual([['2'], ['2']])
  })

  test('by the next page, when this one is gone', async () => {
    const web = createWebStorage()
    const gone = openPage(web)
    server.answer({ status: 503 })
    gone.track('1', '2')
    await gone.advance(0)
    gone.outbox.handOver()
    // A clock of its own, as nothing of the page that is gone runs any more.
    const next = openPage(web, createClock(gone.clock.now() + 10_000), 'b')
    next.outbox.adopt(next.delivery.wake)
    next.track('3')
    await next.advance(0)
    expect(server.batches()).toEqual([
      ['1', '2'],
      ['1', '2', '3'],
    ])
    expect(Object.keys(web)).toEqual([])
  })

  test('until 20 hours after the first attempt; being offline is none', async () => {
    const page = openPage()
    const hours = async (count: number) => {
      const before = server.received.length
      for (let n = 0; n < count; n++) {
        server.answer({ status: 503, headers: { 'retry-after': '3600' } })
        await page.advance(HOUR_MS)
      }
      return server.received.length - before
    }
    page.network.online = false
    page.track('1')
    expect(await hours(30)).toBe(30)
    page.network.online = true
    expect(await hours(30)).toBe(20)
    expect(page.outbox.countWaiting()).toBe(0)
  })
})

describe('events that the server refuses', () => {
  test('are not sent again, and are told of', async () => {
    const page = openPage()
    server.answer({
      status: 202,
      body: '{"accepted":1,"duplicates":0,"rejected":[{"index":0,"message":"no such type"}]}',
    })
    page.track('1', '2')
    await page.advance(HOUR_MS)
    expect(server.batches()).toEqual([['1', '2']])
    expect(page.refused).toEqual(['event_1: no such type'])
  })

  test.for([400, 401, 403, 404, 405, 415, 422])('by %i are not sent again', async status => {
    const page = openPage()
    server.answer({ status })
    page.track('1')
    await page.advance(HOUR_MS)
    page.track('2')
    await page.advance(HOUR_MS)
    expect(server.batches()).toEqual([['1'], ['2']])
  })

  test('as too large are sent in halves, and alone only once', async () => {
    const page = openPage()
    const tooLarge = { status: 413 }
    server.answer(tooLarge, tooLarge, tooLarge)
    page.track('1', '2', '3')
    for (let n = 0; n < 6; n++) await page.advance(1000)
    expect(server.batches()).toEqual([['1', '2', '3'], ['1', '2'], ['1'], ['2'], ['3']])
    expect(page.refused).toEqual(['event_1: it is too large'])
  })
})

describe('a page that is left', () => {
  test('sends what waits beside what is under way, in a request that outlives it', async () => {
    const page = openPage()
    page.track('1')
    page.clock.advance(0)
    page.track('2')
    page.delivery.leave()
    page.delivery.leave()
    await page.settle()
    expect(server.batches().sort()).toEqual([['1'], ['2']])
    expect(page.keepalives).toEqual([true, true])
    expect(page.lasts).toEqual([false, true])
  })

  test('sends no more than 64 KiB, the rest when it is still there', async () => {
    const page = openPage()
    for (let n = 0; n < 10; n++) page.add({ id: `${n}`, padding: 'x'.repeat(10 * 1024) })
    page.delivery.leave()
    page.delivery.leave()
    expect(page.keepalives).toEqual([true])
    await page.settle()
    expect(server.received[0]?.body.length).toBeLessThan(64 * 1024)
    await page.advance(1000)
    expect(server.batches().flat()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
  })

  test('tries a last time what waits for a retry', async () => {
    const page = openPage()
    server.answer('hang up')
    page.track('1')
    await page.advance(0)
    page.delivery.leave()
    await page.settle()
    expect(server.batches()).toEqual([['1'], ['1']])
  })
})
