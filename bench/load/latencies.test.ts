import { describe, expect, test } from 'vitest'
import { countLatency, latencyAt, mergeLatencies, noLatencies } from './latencies.ts'

const of = (...latenciesMs: number[]) => {
  const counts = noLatencies()
  for (const latencyMs of latenciesMs) countLatency(counts, latencyMs)
  return counts
}

describe('latency counts', () => {
  test('tell a quantile to 10 µs below 100 ms, and to 1 ms above', () => {
    const counts = of(...Array.from({ length: 99 }, (_, index) => index + 0.5), 250.4)
    expect(latencyAt(counts, 0.5)).toBeCloseTo(49.51, 5)
    expect(latencyAt(counts, 0.99)).toBeCloseTo(98.51, 5)
    expect(latencyAt(counts, 1)).toBe(251)
  })

  test('add up over rounds, and know nothing of no requests', () => {
    expect(latencyAt(mergeLatencies([of(1, 1, 1), of(99)]), 0.75)).toBeCloseTo(1.01, 5)
    expect(latencyAt(noLatencies(), 0.5)).toBeNaN()
  })

  test('count what takes longer than 30 s as 30 s', () => {
    expect(latencyAt(of(120_000), 0.5)).toBe(30_000)
  })
})
