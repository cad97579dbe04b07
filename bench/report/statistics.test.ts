import { describe, expect, test } from 'vitest'
import { median, quantile, slope } from './statistics.ts'

describe('statistics', () => {
  test.for([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[], Number.NaN],
  ] as const)('the median of %j is %d', ([values, middle]) => {
    expect(median(values)).toEqual(middle)
  })

  test('a quantile is a value that was seen', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index)
    expect(quantile(values, 0.5)).toBe(50)
    expect(quantile(values, 0.99)).toBe(99)
    expect(quantile([], 0.5)).toBeNaN()
  })

  test('a slope is that of the line through the points, whatever the noise around it', () => {
    const points = Array.from({ length: 60 }, (_, x) => ({ x, y: 200 + 3 * x + (x % 2 ? 4 : -4) }))
    expect(slope(points)).toBeCloseTo(3, 1)
  })
})
