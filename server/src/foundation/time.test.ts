import { expect, test } from 'vitest'
import { toIso } from './time.ts'

test('a time is written with milliseconds and +00:00', () => {
  expect(toIso(new Date('2026-03-01T00:30:00+02:00'))).toBe('2026-02-28T22:30:00.000+00:00')
})
