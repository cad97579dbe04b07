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
  test('are forgotten when they have ended, and the oldest when there are too many', () => {
    let now = 0
    const windows = fixedWindows({ windowMs: 1_000, maxKeys: 3, nowMs: () => now })
    for (const key of ['a', 'b', 'c']) windows.count(key)
    windows.count('a')
    windows.count('d')
    expect(['a', 'b', 'c', 'd'].map(key => windows.find(key)?.count)).toEqual([undefined, 1, 1, 1])
    now = 1_000
    expect(['b', 'c', 'd'].map(key => windows.find(key))).toEqual([undefined, undefined, undefined])
    expect(windows.count('b')).toEqual({ count: 1, endsAtMs: 2_000 })
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
