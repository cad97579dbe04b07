import { describe, expect, test } from 'vitest'
import { randomText } from './random-text.ts'

describe('a random text', () => {
  test.for([
    [32, 43],
    [48, 64],
    [4_096, 5_462],
  ] as const)('of %i bytes has %i characters of base64url', ([bytes, length]) => {
    expect(randomText(bytes)).toMatch(new RegExp(`^[A-Za-z0-9_-]{${length}}$`))
  })

  test('never comes twice, and is never what was taken out of the pool before', () => {
    const texts = Array.from({ length: 2_000 }, (_, at) => randomText(at % 2 === 0 ? 32 : 48))
    expect(new Set(texts).size).toBe(texts.length)
    for (const text of texts) expect(text).not.toContain('AAAAAAAAAAAA')
  })
})
