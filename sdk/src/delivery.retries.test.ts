import { describe, expect, test } from 'vitest'
import { createClock } from './testing/clock.ts'
import { useDeliveringPages } from './testing/use-delivering-pages.ts'
import { createWebStorage } from './testing/web-storage.ts'

const HOUR_MS = 60 * 60_000
const pages = useDeliveringPages()
const { openPage } = pages

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
    pages.server.answer(answer, answer)
    page.track('1', '2')
    await page.advance(0)
    page.track('3')
    await page.advance(749)
    expect(pages.server.received).toHaveLength(1)
    await page.advance(1)
    await page.advance(1500)
    expect(pages.server.batches()).toEqual([
      ['1', '2'],
      ['1', '2', '3'],
      ['1', '2', '3'],
    ])
    await page.advance(HOUR_MS)
    expect(pages.server.received).toHaveLength(3)
  })

  test('at growing distances, at most 2 minutes', async () => {
    const page = openPage()
    pages.server.answer(...Array.from({ length: 12 }, () => ({ status: 503 })))
    page.track('1')
    const gaps: number[] = []
    let lastMs = page.clock.now()
    while (pages.server.received.length < 12) {
      const before = pages.server.received.length
      await page.advance(250)
      if (pages.server.received.length === before) continue
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
    pages.server.answer({ status: 503, headers: { 'retry-after': '60' } })
    page.track('1')
    await page.advance(0)
    page.delivery.hurry()
    page.delivery.leave()
    await page.advance(59_999)
    expect(pages.server.received).toHaveLength(1)
    await page.advance(1)
    expect(pages.server.batches()).toEqual([['1'], ['1']])
  })

  test('not before that moment by another page of the site, nor by a later one', async () => {
    const web = createWebStorage()
    const clock = createClock()
    const told = openPage(web, clock)
    const other = openPage(web, clock, 'b')
    pages.server.answer({ status: 429, headers: { 'retry-after': '60' } })
    other.track('2')
    other.clock.advance(0)
    await other.settle()
    told.track('1')
    const later = openPage(web, clock, 'c')
    later.track('3')
    later.delivery.leave()
    await told.advance(59_999)
    expect(pages.server.batches()).toEqual([['2']])
    await told.advance(1)
    await Promise.all([told.settle(), other.settle(), later.settle()])
    expect(pages.server.batches().sort()).toEqual([['1'], ['2'], ['2'], ['3']])
    expect(web.getItem('wait')).toBe(null)
  })

  test('without regard to a moment that a clock gone wrong has put far away', async () => {
    const page = openPage()
    page.storage.set('wait', String(page.clock.now() + 2 * HOUR_MS))
    page.track('1')
    await page.advance(0)
    expect(pages.server.batches()).toEqual([['1']])
  })

  test('at once when there is news, and from the start of the scale after a success', async () => {
    const page = openPage()
    const unavailable = { status: 503 }
    pages.server.answer(unavailable, unavailable, unavailable, unavailable)
    page.track('1')
    for (const ms of [0, 750, 1500]) await page.advance(ms)
    page.delivery.hurry()
    await page.advance(0)
    expect(pages.server.received).toHaveLength(4)
    page.delivery.hurry()
    await page.advance(0)
    expect(pages.server.received).toHaveLength(5)
    pages.server.answer(unavailable)
    page.track('2')
    await page.advance(1000)
    await page.advance(750)
    expect(pages.server.batches().slice(5)).toEqual([['2'], ['2']])
  })

  test('by the next page, when this one is gone', async () => {
    const web = createWebStorage()
    const gone = openPage(web)
    pages.server.answer({ status: 503 })
    gone.track('1', '2')
    await gone.advance(0)
    gone.outbox.handOver()
    // A clock of its own, as nothing of the page that is gone runs any more.
    const next = openPage(web, createClock(gone.clock.now() + 10_000), 'b')
    next.outbox.adopt(next.delivery.wake)
    next.track('3')
    await next.advance(0)
    expect(pages.server.batches()).toEqual([
      ['1', '2'],
      ['1', '2', '3'],
    ])
    expect(Object.keys(web)).toEqual([])
  })

  test('until 20 hours after the first attempt; being offline is none', async () => {
    const page = openPage()
    const hours = async (count: number) => {
      const before = pages.server.received.length
      for (let n = 0; n < count; n++) {
        pages.server.answer({ status: 503, headers: { 'retry-after': '3600' } })
        await page.advance(HOUR_MS)
      }
      return pages.server.received.length - before
    }
    page.network.online = false
    page.track('1')
    expect(await hours(30)).toBe(30)
    page.network.online = true
    expect(await hours(30)).toBe(20)
    expect(page.outbox.countWaiting()).toBe(0)
  })
})
