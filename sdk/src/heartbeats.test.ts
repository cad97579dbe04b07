import { describe, expect, test } from 'vitest'
import { countAttention } from './heartbeats.ts'
import { createClock } from './testing/clock.ts'

function open() {
  const clock = createClock()
  const beats: [atS: number, seconds: number][] = []
  const startMs = clock.now()
  const attention = countAttention({
    now: clock.now,
    schedule: clock.schedule,
    beat: seconds => void beats.push([(clock.now() - startMs) / 1000, seconds]),
  })
  return { clock, beats, attention }
}

describe('heartbeats', () => {
  test('come every 30 seconds of attention', () => {
    const { clock, beats, attention } = open()
    attention.set(true)
    clock.advance(95_000)
    expect(beats).toEqual([
      [30, 30],
      [60, 30],
      [90, 30],
    ])
  })

  test('do not come without attention', () => {
    const { clock, beats, attention } = open()
    attention.set(false)
    clock.advance(600_000)
    attention.tell()
    expect(beats).toEqual([])
  })

  test('count attention over interruptions, and being told twice changes nothing', () => {
    const { clock, beats, attention } = open()
    attention.set(true)
    clock.advance(20_000)
    attention.set(false)
    attention.set(false)
    clock.advance(100_000)
    attention.set(true)
    attention.set(true)
    clock.advance(9_999)
    expect(beats).toEqual([])
    clock.advance(30_001)
    expect(beats).toEqual([
      [130, 30],
      [160, 30],
    ])
  })

  test('tell what was counted when the page goes, in whole seconds, and keep the rest for the next', () => {
    const { clock, beats, attention } = open()
    attention.set(true)
    clock.advance(12_700)
    attention.tell()
    attention.tell()
    clock.advance(300)
    attention.set(false)
    clock.advance(60_000)
    attention.tell()
    attention.set(true)
    clock.advance(30_000)
    expect(beats).toEqual([
      [12.7, 12],
      [73, 1],
      [103, 30],
    ])
  })

  test('do not count the sleep of a computer, or a clock that is set back', () => {
    const { clock, beats, attention } = open()
    attention.set(true)
    clock.advance(10_000)
    clock.set(clock.now() + 8 * 60 * 60_000)
    attention.tell()
    clock.set(clock.now() - 24 * 60 * 60_000)
    attention.tell()
    expect(beats.map(([, seconds]) => seconds)).toEqual([30])
  })
})
