import { describe, expect, test } from 'vitest'
import type { Waiting } from './submission.ts'
import { WaitingLines } from './waiting-lines.ts'

function waiting(tenantId: string, events = 1, deadlineAtMs = 1_000): Waiting {
  return {
    tenantId,
    receivedAt: '2026-11-21T00:00:00.000+00:00',
    ids: Array.from({ length: events }, (_, at) => `${at}`),
    records: Array.from({ length: events }, () => '{'),
    bytes: events * 100,
    deadlineAtMs,
    settled: false,
    resolve() {},
    reject() {},
  }
}

function linesOf(...all: Waiting[]): WaitingLines {
  const lines = new WaitingLines()
  for (const one of all) lines.add(one)
  return lines
}

describe('what waits to be written', () => {
  test('a batch takes of all tenants, each in its order', () => {
    const [a1, b1, a2] = [waiting('a'), waiting('b'), waiting('a')]
    expect(linesOf(a1, b1, a2).takeBatch()).toEqual([a1, a2, b1])
  })

  test('a batch is bounded, and the next begins with the tenants that it did not reach', () => {
    const [big, small] = [waiting('a', 600), waiting('b')]
    const more = waiting('a')
    const lines = linesOf(big, more, small)
    const first = lines.takeBatch()
    expect(first).toEqual([big])
    expect(lines.takeBatch()).toEqual([small])
  })

  test('a tenant in flight is not in the next batch; with enough waiting, one more goes behind it', () => {
    const lines = linesOf(waiting('a'))
    const first = lines.takeBatch()
    const few = waiting('a', 15)
    lines.add(few)
    expect(lines.takeBatch()).toEqual([])
    expect(lines.takeBehind()).toEqual([])
    const more = waiting('a', 1)
    lines.add(more)
    expect(lines.takeBehind()).toEqual([few, more])
    lines.add(waiting('a', 100))
    expect(lines.takeBehind()).toEqual([])
    lines.putBack(first, [], [])
    expect(lines.takeBatch()).toEqual([])
    expect(lines.takeBehind()).toHaveLength(1)
  })

  test('a tenant whose tail is locked waits on a connection of its own, one at a time', () => {
    const [a, b] = [waiting('a'), waiting('b')]
    const lines = linesOf(a, b)
    const batch = lines.takeBatch()
    lines.putBack(batch, [], [a])
    expect(lines.takeBatch()).toEqual([])
    expect(lines.takeBehind()).toEqual([a])
    lines.add(waiting('a', 50))
    expect(lines.takeBehind()).toEqual([])
  })

  test('what is to be tried again is first in its line, in its order', () => {
    const [first, second, third] = [waiting('a'), waiting('a'), waiting('a')]
    const lines = linesOf(first, second)
    const batch = lines.takeBatch()
    lines.add(third)
    lines.putBack(batch, batch, [])
    expect(lines.takeBatch()).toEqual([first, second, third])
  })

  test('what was answered meanwhile is not tried again', () => {
    const [late, other] = [waiting('a'), waiting('a')]
    const lines = linesOf(late, other)
    const batch = lines.takeBatch()
    late.settled = true
    lines.putBack(batch, batch, [])
    expect(lines.takeBatch()).toEqual([other])
  })

  test('what is past its deadline is taken out', () => {
    const [late, inTime] = [waiting('a', 1, 500), waiting('a', 1, 501)]
    const lines = linesOf(late, inTime)
    expect(lines.takeExpired(500)).toEqual([late])
    expect(lines.isEmpty).toBe(false)
    expect(lines.takeExpired(501)).toEqual([inTime])
    expect(lines.isEmpty).toBe(true)
  })
})
