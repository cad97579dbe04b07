import { describe, expect, test } from 'vitest'
import { fixedWindows } from './fixed-windows.ts'
import { networkOf } from './network-of.ts'
import { openRateLimits } from './open-rate-limits.ts'

const neverTold = { away: () => expect.unreachable(), back: () => expect.unreachable() }

describe('a limit that one process counts', () => {
  test('lets so many through in a window that begins with the first, and then says how long to wait', () => {
    let now = 5_000
    const limits = openRateLimits({ markKey: Buffer.alloc(32), tell: neverTold, nowMs: () => now })
    const limit = limits.limit({ name: 'a', most: 3, windowS: 60 })
    expect([limit.count('x'), limit.count('x')]).toEqual([0, 0])
    now += 59_000
    expect([limit.wait('x'), limit.count('x'), limit.wait('x'), limit.count('x')]).toEqual([0, 0, 1, 1])
    expect(limit.count('y')).toBe(0)
    now += 999
    expect([limit.count('x'), limit.wait('x')]).toEqual([1, 1])
    now += 1
    expect([limit.wait('x'), limit.count('x'), limit.count('x'), limit.count('x')]).toEqual([0, 0, 0, 0])
    expect([limit.count('x'), limit.wait('never counted')]).toEqual([60, 0])
  })

  test('is no other limit of the same key', () => {
    const limits = openRateLimits({ markKey: Buffer.alloc(32), tell: neverTold })
    const [one, other] = ['a', 'b'].map(name => limits.limit({ name, most: 1, windowS: 60 }))
    expect([one?.count('x'), one?.count('x'), other?.count('x')]).toEqual([0, 60, 0])
  })
})

describe('windows in memory', () => {
  test('last to their end, and not longer', () => {
    let now = 0
    const windows = fixedWindows({ windowMs: 1_000, maxKeys: 1_000, nowMs: () => now })
    const ends = new Map<string, number>()
    for (let at = 0; at < 40; at++) {
      now = at * 90
      const key = `key ${at}`
      ends.set(key, windows.count(key).endsAtMs)
      for (const [known, endsAtMs] of ends)
        expect([known, windows.find(known)]).toEqual([
          known,
          endsAtMs > now ? { count: 1, endsAtMs } : undefined,
        ])
    }
    now = 10_000
    expect(windows.count('key 39')).toEqual({ count: 1, endsAtMs: 11_000 })
    expect(windows.count('key 39')).toEqual({ count: 2, endsAtMs: 11_000 })
  })

  test('are the youngest half at least when there are too many', () => {
    const windows = fixedWindows({ windowMs: 1_000, maxKeys: 4, nowMs: () => 0 })
    for (const key of ['a', 'b', 'c', 'd', 'a']) windows.count(key)
    expect(['a', 'b', 'c', 'd'].map(key => windows.find(key)?.count)).toEqual([2, 1, 1, 1])
    windows.count('e')
    expect(['a', 'b', 'c', 'd', 'e'].map(key => windows.find(key)?.count)).toEqual([
      undefined,
      undefined,
      1,
      1,
      1,
    ])
  })

  test('take over what was counted elsewhere', () => {
    const windows = fixedWindows({ windowMs: 1_000, maxKeys: 3, nowMs: () => 0 })
    windows.put('a', { count: 7, endsAtMs: 300 })
    windows.put('a', { count: 9, endsAtMs: 250 })
    expect(windows.count('a')).toEqual({ count: 10, endsAtMs: 250 })
  })
})

test.for([
  ['192.0.2.1', '192.0.2.1'],
  ['', ''],
  ['2001:db8:1:2:3:4:5:6', '32.1.13.184.0.1.0.2'],
  ['2001:db8:1:2::', '32.1.13.184.0.1.0.2'],
  ['2001:db8:1:3::', '32.1.13.184.0.1.0.3'],
] as const)('%s is limited as %s', ([address, network]) => {
  expect(networkOf(address)).toBe(network)
})
