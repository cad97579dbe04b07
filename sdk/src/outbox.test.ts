import { describe, expect, test } from 'vitest'
import { createOutbox, type Outbox } from './outbox.ts'
import { createPageLocks } from './page-locks.ts'
import { openStorage } from './storage.ts'
import { createClock } from './testing/clock.ts'
import { createLockManager } from './testing/lock-manager.ts'
import { createWebStorage } from './testing/web-storage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

function openSite(maxChars?: number) {
  const clock = createClock()
  const web = createWebStorage(maxChars)
  const openPage = (pageId: string, locks = createPageLocks(undefined)) => {
    const outbox = createOutbox({
      storage: openStorage(() => web),
      prefix: 'events:',
      pageId,
      now: clock.now,
      defer: write => write(),
      locks,
    })
    return {
      ...outbox,
      add: (event: object, member = '') => outbox.add(JSON.stringify(event), member),
      /** Whether there was anything to take over. */
      adopt() {
        let found = false
        outbox.adopt(() => {
          found = true
        })
        return found
      },
    }
  }
  return { clock, web, openPage }
}

const event = (id: string, padding = '') => ({ id, padding })
const ids = (taken: { json: string }[]) => taken.map(({ json }) => JSON.parse(json).id)
const all = (outbox: Pick<Outbox, 'take'>) => ids(outbox.take(Number.POSITIVE_INFINITY, 1e9))

describe('what waits in the outbox', () => {
  test('is taken oldest first, once, in as many as fit', () => {
    const outbox = openSite().openPage('a')
    for (const id of ['1', '2', '3', '4', '5']) outbox.add(event(id))
    const bytes = JSON.stringify(event('1')).length + 1
    expect(ids(outbox.take(2, 1e9))).toEqual(['1', '2'])
    expect(ids(outbox.take(100, 2 * bytes))).toEqual(['3', '4'])
    expect(outbox.countWaiting()).toBe(1)
    expect(all(outbox)).toEqual(['5'])
    expect(outbox.countWaiting()).toBe(0)
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

  test('is bounded by 2,000 events, the oldest dropped', () => {
    const outbox = openSite().openPage('a')
    for (let n = 0; n < 2100; n++) outbox.add(event(`${n}`))
    expect(all(outbox)).toEqual(Array.from({ length: 2000 }, (_, n) => `${n + 100}`))
  })

  test('is bounded by 1 MiB, the oldest dropped', () => {
    const outbox = openSite().openPage('a')
    for (let n = 0; n < 40; n++) outbox.add(event(`${n}`, 'x'.repeat(40_000)))
    const kept = outbox.take(Number.POSITIVE_INFINITY, 1e9)
    expect(kept.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(1024 * 1024)
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

  test('is not kept for longer because the clock was set back by a day', () => {
    const { clock, openPage } = openSite()
    const outbox = openPage('a')
    outbox.add(event('1'))
    for (const taken of outbox.take(1, 1e9)) taken.triedAtMs = clock.now()
    clock.set(clock.now() - 24 * HOUR_MS)
    outbox.take(1, 1e9)
    expect(outbox.countWaiting()).toBe(0)
    outbox.add(event('2'))
    expect(all(outbox)).toEqual(['2'])
  })

  test('is written at once while it is little, and in turns when it is much', () => {
    const delays: number[] = []
    const outbox = createOutbox({
      storage: openStorage(() => createWebStorage()),
      prefix: 'events:',
      pageId: 'a',
      now: () => 0,
      defer(write, delayMs) {
        delays.push(delayMs)
        write()
      },
      locks: createPageLocks(undefined),
    })
    for (let n = 0; n < 52; n++) outbox.add('{"id":1}', '')
    expect(delays).toEqual([...Array.from({ length: 50 }, () => 0), 200, 200])
  })

  test('is gone from every page when the reader refuses', () => {
    const { web, openPage } = openSite()
    const gone = openPage('a')
    gone.add(event('1'))
    const outbox = openPage('b')
    outbox.add(event('2'))
    web.setItem('another site script', 'stays')
    outbox.clear()
    expect(all(outbox)).toEqual([])
    expect(Object.keys(web)).toEqual(['another site script'])
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

  test('is not taken from a page that lives, where locks tell, and sooner from one that is gone', async () => {
    const { clock, openPage } = openSite()
    const locks = createLockManager()
    const busy = openPage(
      'a',
      createPageLocks(() => locks),
    )
    busy.hold()
    busy.add(event('1'))
    const found: string[] = []
    const other = createOtherPage()
    clock.advance(60 * MINUTE_MS)
    await other.adopt()
    expect(found).toEqual([])

    // Gone without a word.
    locks.letGo('events:a')
    await other.adopt()
    expect(found).toEqual(['1'])

    function createOtherPage() {
      const outbox = openPage(
        'b',
        createPageLocks(() => locks),
      )
      return {
        async adopt() {
          outbox.adopt()
          await locks.settled()
          found.push(...all(outbox))
        },
      }
    }
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
    web.setItem('events:x', '0\n0  {"id":"1"}\n0  {"id":\nnonsense\n\n0  null\n0 ada {"id":"2"}')
    web.setItem('events:y', '')
    web.setItem('events:z', 'never\n0  {"id":"3"}')
    const outbox = openPage('a')
    expect(outbox.adopt()).toBe(true)
    const [first, second] = [outbox.take(9, 1e9), outbox.take(9, 1e9)]
    expect([ids(first), ids(second)]).toEqual([['1', '3'], ['2']])
    expect(second[0]?.member).toBe('ada')
  })

  test('stays in memory where storage is full', () => {
    const { openPage } = openSite(50)
    const outbox = openPage('a')
    for (const id of ['1', '2', '3']) outbox.add(event(id, 'x'.repeat(50)))
    expect(all(outbox)).toEqual(['1', '2', '3'])
  })
})
