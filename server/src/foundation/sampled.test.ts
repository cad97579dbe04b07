import { expect, test } from 'vitest'
import { sampled } from './sampled.ts'

test('tells of the first, then of one in a while with the number left out', () => {
  const told: [string, number][] = []
  let nowMs = 0
  const tell = sampled<string>(
    (what, leftOut) => told.push([what, leftOut]),
    1_000,
    () => nowMs,
  )
  tell('a')
  nowMs = 999
  tell('b')
  tell('c')
  nowMs = 1_000
  tell('d')
  nowMs = 5_000
  tell('e')
  expect(told).toEqual([
    ['a', 0],
    ['d', 2],
    ['e', 0],
  ])
})
