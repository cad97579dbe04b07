import { describe, expect, test } from 'vitest'
import { uuidv7, uuidv7Maker } from './uuid.ts'

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('uuidv7 (RFC 9562 5.7)', () => {
  test('carries the time in its first 48 bits', () => {
    const make = uuidv7Maker(() => 0x0192_0000_abcd)
    expect(make().replaceAll('-', '').slice(0, 12)).toBe('01920000abcd')
  })

  test('has version 7 and the RFC variant, and never repeats', () => {
    const ids = Array.from({ length: 20_000 }, uuidv7)
    for (const id of ids) expect(id).toMatch(FORM)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('rises within one millisecond', () => {
    const make = uuidv7Maker(() => 1_700_000_000_000)
    const ids = Array.from({ length: 20_000 }, make)
    expect(ids).toEqual(ids.toSorted())
  })

  test('rises when the clock moves back', () => {
    const clock = [5_000, 4_000, 3_000, 5_000, 5_001, 1]
    const make = uuidv7Maker(() => clock.shift() ?? 1)
    const ids = Array.from({ length: 6 }, make)
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(6)
  })

  test('carries from one group of digits into the next', () => {
    const make = uuidv7Maker(
      () => 0x1000,
      buffer => buffer.fill(0xff),
    )
    expect(make()).toBe('00000000-1000-77ff-bfff-ffffffffffff')
    expect(make()).toBe('00000000-1000-7800-8000-03ffffffffff')
  })
})
