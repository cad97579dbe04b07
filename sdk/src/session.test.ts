import { describe, expect, test } from 'vitest'
import { createSession } from './session.ts'
import { openStorage } from './storage.ts'
import { createClock } from './testing/clock.ts'
import { createWebStorage } from './testing/web-storage.ts'

const MINUTE_MS = 60_000

function openTabs() {
  const clock = createClock()
  const web = createWebStorage()
  let made = 0
  const openTab = (storage = openStorage(() => web)) => {
    const nextPlace = createSession({
      storage,
      key: 'session',
      now: clock.now,
      makeId: () => `session-${++made}`,
    })
    return (isHeartbeat = false) => nextPlace(isHeartbeat)
  }
  return { clock, web, openTab }
}

describe('the session', () => {
  test('counts its events from 0, over the tabs that share it', () => {
    const { openTab } = openTabs()
    const one = openTab()
    const two = openTab()
    expect([one(), two(), two(), one()]).toEqual(
      [0, 1, 2, 3].map(event_sequence => ({ session_id: 'session-1', event_sequence })),
    )
  })

  test('numbers heartbeats by themselves, so that neither queue has gaps', () => {
    const { openTab } = openTabs()
    const next = openTab()
    const places = [next(), next(true), next(), next(true), next(true), next()]
    expect(places.map(place => place.event_sequence)).toEqual([0, 0, 1, 1, 2, 2])
    expect(new Set(places.map(place => place.session_id)).size).toBe(1)
  })

  test('goes on when an event comes within 30 minutes of the last one, however long it lasts', () => {
    const { clock, openTab } = openTabs()
    const next = openTab()
    for (let n = 0; n < 10; n++) {
      expect(next()).toEqual({ session_id: 'session-1', event_sequence: n })
      clock.advance(30 * MINUTE_MS - 1)
    }
  })

  test('ends after 30 idle minutes', () => {
    const { clock, openTab } = openTabs()
    openTab()()
    clock.advance(30 * MINUTE_MS)
    expect(openTab()()).toEqual({ session_id: 'session-2', event_sequence: 0 })
  })

  test('does not outlive a clock that was far ahead', () => {
    const { clock, openTab } = openTabs()
    openTab()()
    clock.set(clock.now() - 24 * 60 * MINUTE_MS)
    expect(openTab()().session_id).toBe('session-2')
  })

  test.for([
    '',
    ' ',
    'x',
    'id',
    'id x y z',
    'id 4',
    'id 1767614400000 -1 0',
    'id 1767614400000 0 1.5',
    'id 1767614400000 0 1e300',
    'id soon 3 0',
    'ïd 1767614400000 3 0',
    '{"id":1}',
  ])('starts anew where storage holds %j', spoilt => {
    const { web, openTab } = openTabs()
    web.setItem('session', spoilt)
    expect(openTab()()).toEqual({ session_id: 'session-1', event_sequence: 0 })
  })

  test('goes on in memory where storage is forbidden', () => {
    const { openTab } = openTabs()
    const next = openTab(
      openStorage(() => {
        throw new DOMException('no', 'SecurityError')
      }),
    )
    expect([next(), next()].map(place => place.event_sequence)).toEqual([0, 1])
  })
})
