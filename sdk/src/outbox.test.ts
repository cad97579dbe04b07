import { describe, expect, test } from 'vitest'
import { createOutbox } from './outbox.ts'
import { openStorage } from './storage.ts'
import { createClock } from './testing/clock.ts'
import { createWebStorage } from './testing/web-storage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

function openSite(maxChars?: number) {
  const clock = createClock()
  const web = createWebStorage(maxChars)
  const openPage = (pageId: string) =>
    createOutbox({
      storage: openStorage(() => web),
      prefix: 'events:',
      pageId,
      now: clock.now,
      defer: write => write(),
    })
  return { clock, web, openPage }
}

const event = (id: string, padding = '') => ({ id, padding })
const ids = (taken: { json: string }[]) => taken.map(({ json }) => JSON.parse(json).id)
const all = (outbox: ReturnType<typeof createOutbox>) => ids(outbox.take(Number.POSITIVE_INFINITY, 1e9))

describe('what waits in the outbox', () => {
  test('is taken oldest first, once, in as many as fit', () => {
    const outbox = openSite().openPage('a')
    for (const id of ['1', '2', '3', '4', '5']) outbox.add(event(id))
    const bytes = JSON.stringify(event('1')).length + 1
    expect(ids(outbox.take(2, 1e9))).toEqual(['1', '2'])
    expect(ids(outbox.take(100, 2 * bytes))).toEqual(['3', '4'])
    expect(outbox.hasWaiting()).toBe(true)
    expect(all(outbox)).toEqual(['5'])
    expect(outbox.hasWaiting()).toBe(false)
  })

  test('is measured in bytes, not characters, and one event is taken however large it is', () => {
    const outbox = openSite().openPage('a')
    outbox.add(event('1', 'ü'.repeat(100)))
    outbox.add(event('2'))
    const [first] = outbox.take(100, 1)
    expect(first?.bytes).toBe(JSON.stringify(event('1')).length + 200)
    expect(outbox.take(100, 1)).toHaveLength(1)
  })

  test('waits again when it is put back, in its old place', () => {
    const outbox = openSite().openPage('a')
    for (const id of ['1', '2', '3']) outbox.add(event(id))
    const taken = outbox.take(2, 1e9)
    outbox.putBack(taken)
    expect(all(outbox)).toEqual(['1', '2', '3'])
  })

  test('is bounded by 500 events, the oldest dropped', () => {
    const outbox = openSite().openPage('a')
    for (let n = 0; n < 600; n++) outbox.add(event(`${n}`))
    expect(all(outbox)).toEqual(Array.from({ length: 500 }, (_, n) => `${n + 100}`))
  })

  test('is bounded by 256 KiB, the oldest dropped', () => {
    const outbox = openSite().openPage('a')
    for (let n = 0; n < 40; n++) outbox.add(event(`${n}`, 'x'.repeat(10_000)))
    const kept = outbox.take(Number.POSITIVE_INFINITY, 1e9)
    expect(kept.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(256 * 1024)
    expect(kept).toHaveLength(26)
    expect(ids(kept).at(-1)).toBe('39')
  })

  test('is given up 20 hours after its first attempt, and not before', () => {
    const { clock, openPage } = openSite()
    const outbox = openPage('a')
    outbox.add(event('tried'))
    outbox.add(event('never tried'))
    const [tried] = outbox.take(1, 1e9)
    if (!tried) throw new Error('nothing was taken')
    tried.triedAtMs = clock.now()
    outbox.putBack([tried])
    clock.advance(20 * HOUR_MS - 1)
    expect(ids(outbox.take(1, 1e9))).toEqual(['tried'])
    outbox.putBack([tried])
    clock.advance(1)
    expect(all(outbox)).toEqual(['never tried'])
  })
})

describe('what a page leaves behind', () => {
  test('is taken over, in order and before its own, when the lease has ended', () => {
    const { clock, web, openPage } = openSite()
    const gone = openPage('a')
    gone.add(event('1'))
    gone.add(event('2', 'line\nbreak'))
    clock.advance(74_999)
    const next = openPage('b')
    next.add(event('3'))
    expect(next.adopt()).toBe(false)
    clock.advance(1)
    expect(next.adopt()).toBe(true)
    expect(Object.keys(web)).toEqual(['events:b'])
    expect(next.adopt()).toBe(false)
    expect(all(next)).toEqual(['1', '2', '3'])
  })

  test('is free 10 seconds after it was handed over', () => {
    const { clock, openPage } = openSite()
    const gone = openPage('a')
    gone.add(event('1'))
    gone.handOver()
    const next = openPage('b')
    clock.advance(9_999)
    expect(next.adopt()).toBe(false)
    clock.advance(1)
    expect(next.adopt()).toBe(true)
  })

  test('keeps the moment of its first attempt', () => {
    const { clock, openPage } = openSite()
    const gone = openPage('a')
    gone.add(event('1'))
    for (const taken of gone.take(1, 1e9)) taken.triedAtMs = clock.now()
    gone.handOver()
    clock.advance(20 * HOUR_MS)
    const next = openPage('b')
    expect(next.adopt()).toBe(true)
    expect(all(next)).toEqual([])
  })

  test('is not taken from a page that is still trying', () => {
    const { clock, openPage } = openSite()
    const busy = openPage('a')
    busy.add(event('1'))
    clock.advance(MINUTE_MS)
    busy.renewLease(clock.now() + 60 * MINUTE_MS)
    clock.advance(61 * MINUTE_MS)
    expect(openPage('b').adopt()).toBe(false)
  })

  test('is the page’s own again when it is restored, unless another has taken it', () => {
    const { clock, openPage } = openSite()
    const restored = openPage('a')
    restored.add(event('1'))
    restored.handOver()
    restored.reclaim()
    clock.advance(MINUTE_MS)
    const other = openPage('b')
    expect(other.adopt()).toBe(false)

    restored.handOver()
    clock.advance(MINUTE_MS)
    expect(other.adopt()).toBe(true)
    restored.reclaim()
    expect([all(restored), all(other)]).toEqual([[], ['1']])
  })

  test('leaves no key when all of it is answered', () => {
    const { web, openPage } = openSite()
    const outbox = openPage('a')
    outbox.add(event('1'))
    outbox.remove(outbox.take(1, 1e9))
    expect(Object.keys(web)).toEqual([])
  })

  test('is read line by line, so that what another script has spoilt does not take the rest with it', () => {
    const { web, openPage } = openSite()
    web.setItem('events:x', '0\n0 {"id":"1"}\n0 {"id":\nnonsense\n\n0 null\n0 {"id":"2"}')
    web.setItem('events:y', '')
    web.setItem('events:z', 'never\n0 {"id":"3"}')
    const outbox = openPage('a')
    expect(outbox.adopt()).toBe(true)
    expect(all(outbox)).toEqual(['1', '2', '3'])
  })

  test('stays in memory where storage is full', () => {
    const { openPage } = openSite(50)
    const outbox = openPage('a')
    for (const id of ['1', '2', '3']) outbox.add(event(id, 'x'.repeat(50)))
    expect(all(outbox)).toEqual(['1', '2', '3'])
  })
})
