import { describe, expect, test } from 'vitest'
import { countAttention } from './heartbeats.ts'
import { createClock } from './testing/clock.ts'

function open() {
  const clock = createClock()
  const beats: number[] = []
  const startMs = clock.now()
  const tell = countAttention({
    now: clock.now,
    schedule: clock.schedule,
    beat: () => void beats.push((clock.now() - startMs) / 1000),
  })
  return { clock, beats, tell }
}

describe('heartbeats', () => {
  test('come every 30 seconds of attention', () => {
    const { clock, beats, tell } = open()
    tell(true)
    clock.advance(95_000)
    expect(beats).toEqual([30, 60, 90])
  })

  test('do not come without attention', () => {
    const { clock, beats, tell } = open()
    tell(false)
    clock.advance(600_000)
    expect(beats).toEqual([])
  })

  test('count attention over interruptions, and being told twice changes nothing', () => {
    const { clock, beats, tell } = open()
    tell(true)
    clock.advance(20_000)
    tell(false)
    tell(false)
    clock.advance(100_000)
    tell(true)
    tell(true)
    clock.advance(9_999)
    expect(beats).toEqual([])
    clock.advance(30_001)
    expect(beats).toEqual([130, 160])
  })
})
