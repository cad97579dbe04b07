import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createIdSource } from './ids.ts'

const AT = Date.UTC(2026, 0, 5, 12)

describe('ids are UUIDv7 (RFC 9562, 5.7)', () => {
  test('with version, variant and the time in milliseconds', () => {
    const makeId = createIdSource(() => AT, randomBytes)
    for (let n = 0; n < 200; n++) {
      const id = makeId()
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(AT)
    }
  })

  test('that rise within one millisecond, past the end of the counter, and over a clock set back', () => {
    let nowMs = AT
    const makeId = createIdSource(() => nowMs, randomBytes)
    const ids: string[] = []
    for (let n = 0; n < 10_000; n++) ids.push(makeId())
    nowMs -= 60_000
    for (let n = 0; n < 100; n++) ids.push(makeId())
    nowMs += 120_000
    ids.push(makeId())
    expect(ids).toEqual([...ids].sort())
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('that two pages do not share in the same millisecond', () => {
    const pages = Array.from({ length: 500 }, () => createIdSource(() => AT, randomBytes))
    expect(new Set(pages.map(makeId => makeId())).size).toBe(500)
  })

  test('whose random bits all come from the random source', () => {
    const ones = createIdSource(
      () => AT,
      length => new Uint8Array(length).fill(0xff),
    )()
    const zeros = createIdSource(
      () => AT,
      length => new Uint8Array(length),
    )()
    expect(ones.slice(14)).toBe('77ff-bfff-ffffffffffff')
    expect(zeros.slice(14)).toBe('7000-8000-000000000000')
  })
})
