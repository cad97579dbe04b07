import { describe, expect, test } from 'vitest'
import { useDeliveringPages } from './testing/use-delivering-pages.ts'

const HOUR_MS = 60 * 60_000
const pages = useDeliveringPages()
const { openPage } = pages

describe('events are delivered', () => {
  test('at once when nothing is under way, and those tracked meanwhile together', async () => {
    const page = openPage()
    page.track('1')
    page.clock.advance(0)
    page.track('2')
    page.track('3')
    await page.settle()
    expect(pages.server.batches()).toEqual([['1']])
    await page.advance(1000)
    expect(pages.server.batches()).toEqual([['1'], ['2', '3']])
    await page.advance(HOUR_MS)
    expect(pages.server.received).toHaveLength(2)
  })

  test('at most 100 in a request', async () => {
    const page = openPage()
    page.track(...Array.from({ length: 250 }, (_, n) => `${n}`))
    await page.advance(0)
    // No pause before another full one.
    await page.advance(0)
    await page.advance(999)
    expect(pages.server.batches().map(ids => ids.length)).toEqual([100, 100])
    await page.advance(1)
    expect(pages.server.batches().map(ids => ids.length)).toEqual([100, 100, 50])
    expect(new Set(pages.server.batches().flat()).size).toBe(250)
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
    expect(pages.server.batches()).toEqual([['1', '4'], ['2', '3'], ['5']])
  })

  test('at most 256 KiB in a request, and outliving the page only where 64 KiB hold it', async () => {
    const page = openPage()
    for (let n = 0; n < 3; n++) page.add({ id: `${n}`, padding: 'x'.repeat(80 * 1024) })
    page.track('3')
    await page.advance(0)
    await page.advance(1000)
    page.track('4')
    await page.advance(1000)
    expect(pages.server.batches()).toEqual([['0', '1', '2', '3'], ['4']])
    expect(Math.max(...pages.server.received.map(({ body }) => body.length))).toBeLessThan(256 * 1024)
    expect(page.keepalives).toEqual([false, true])
  })
})

describe('events that the server refuses', () => {
  test('are not sent again, and are told of', async () => {
    const page = openPage()
    pages.server.answer({
      status: 202,
      body: '{"accepted":1,"duplicates":0,"rejected":[{"index":0,"message":"no such type"}]}',
    })
    page.track('1', '2')
    await page.advance(HOUR_MS)
    expect(pages.server.batches()).toEqual([['1', '2']])
    expect(page.refused).toEqual(['event_1: no such type'])
  })

  test.for([400, 401, 403, 404, 405, 415, 422])('by %i are not sent again', async status => {
    const page = openPage()
    pages.server.answer({ status })
    page.track('1')
    await page.advance(HOUR_MS)
    page.track('2')
    await page.advance(HOUR_MS)
    expect(pages.server.batches()).toEqual([['1'], ['2']])
  })

  test('as too large are sent in halves, and alone only once', async () => {
    const page = openPage()
    const tooLarge = { status: 413 }
    pages.server.answer(tooLarge, tooLarge, tooLarge)
    page.track('1', '2', '3')
    for (let n = 0; n < 6; n++) await page.advance(1000)
    expect(pages.server.batches()).toEqual([['1', '2', '3'], ['1', '2'], ['1'], ['2'], ['3']])
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
    expect(pages.server.batches().sort()).toEqual([['1'], ['2']])
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
    expect(pages.server.received[0]?.body.length).toBeLessThan(64 * 1024)
    await page.advance(1000)
    expect(pages.server.batches().flat()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
  })

  test('tries a last time what waits for a retry', async () => {
    const page = openPage()
    pages.server.answer('hang up')
    page.track('1')
    await page.advance(0)
    page.delivery.leave()
    await page.settle()
    expect(pages.server.batches()).toEqual([['1'], ['1']])
  })
})
