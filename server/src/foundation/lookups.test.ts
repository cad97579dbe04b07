import { beforeEach, describe, expect, test } from 'vitest'
import { createLookups, type Lookups, type Reachability } from './lookups.ts'

/** A store of upper-case words that can be slow, or away, and that counts. */
let words: Record<string, string>
let asked: string[][]
let answer: () => Promise<void>
let now: number
let reachability: Reachability

function open(options: { maxEntries?: number; deadlineMs?: number } = {}): Lookups<string> {
  return createLookups<string>({
    async loadMany(keys) {
      asked.push([...keys])
      // What the database says is as of when it was asked.
      const found = new Map(keys.flatMap(key => (words[key] ? [[key, words[key]]] : [])))
      await answer()
      return found
    },
    refreshAfterMs: 30,
    expireAfterMs: 60,
    maxEntries: options.maxEntries ?? 100,
    deadlineMs: options.deadlineMs ?? 1_000,
    reachability,
    nowMs: () => now,
  })
}

const away = () => Promise.reject(Object.assign(new Error('no server'), { code: 'ECONNREFUSED' }))

beforeEach(() => {
  words = { a: 'A', b: 'B' }
  asked = []
  answer = async () => {}
  now = 1_000
  reachability = { awayUntil: 0 }
})

describe('a look-up', () => {
  test('is asked of the database once, then known, also when there is nothing', async () => {
    const lookups = open()
    expect(lookups.recent('a')).toBeUndefined()
    expect(await lookups.load('a')).toBe('A')
    expect(await lookups.load('none')).toBeUndefined()
    expect(lookups.recent('a')?.value).toBe('A')
    expect(lookups.recent('none')).toEqual(expect.objectContaining({ value: undefined, at: 1_000 }))
    expect(asked).toEqual([['a'], ['none']])
  })

  test('is asked again in the background before it is too old, and waited for after', async () => {
    const lookups = open()
    await lookups.load('a')
    words.a = 'A2'
    now += 30
    expect(lookups.recent('a')?.value).toBe('A')
    await lookups.load('b')
    expect(lookups.recent('a')?.value).toBe('A2')
    now += 60
    expect(lookups.recent('a')).toBeUndefined()
    expect(lookups.last('a')?.value).toBe('A2')
  })

  test('gathers with others behind the one in flight', async () => {
    const lookups = open()
    const { promise, resolve } = Promise.withResolvers<void>()
    answer = () => promise
    const all = ['a', 'b', 'x', 'b', 'a', 'y'].map(key => lookups.load(key))
    resolve()
    expect(await Promise.all(all)).toEqual(['A', 'B', undefined, 'B', 'A', undefined])
    expect(asked).toEqual([['a'], ['b', 'x', 'y']])
  })

  test('is asked again after an invalidation, and never joins one that began before it', async () => {
    const lookups = open()
    const { promise, resolve } = Promise.withResolvers<void>()
    answer = () => promise
    const before = lookups.load('a')
    words.a = 'A2'
    lookups.invalidate()
    const after = lookups.load('a')
    resolve()
    expect(await before).toBe('A')
    expect(await after).toBe('A2')
    expect(lookups.recent('a')?.value).toBe('A2')
    lookups.invalidate()
    expect(lookups.recent('a')).toBeUndefined()
  })

  test('is asked again for who wants it fresh, and never joins one that began before', async () => {
    const lookups = open()
    const { promise, resolve } = Promise.withResolvers<void>()
    answer = () => promise
    const before = lookups.load('a')
    words.a = 'A2'
    const [joined, fresh, other] = [
      lookups.load('a'),
      lookups.load('a', { fresh: true }),
      lookups.load('a', { fresh: true }),
    ]
    resolve()
    expect(await Promise.all([before, joined, fresh, other])).toEqual(['A', 'A', 'A2', 'A2'])
    expect(asked).toEqual([['a'], ['a']])
  })

  test('that an invalidation overtook is not taken for recent', async () => {
    const lookups = open()
    const { promise, resolve } = Promise.withResolvers<void>()
    answer = () => promise
    const before = lookups.load('a')
    lookups.invalidate()
    resolve()
    await before
    expect(lookups.recent('a')).toBeUndefined()
  })

  test('keeps no more entries than it may, with or without a value', async () => {
    const lookups = open({ maxEntries: 3 })
    for (let index = 0; index < 10; index++) words[`w${index}`] = 'W'
    for (let index = 0; index < 10; index++) {
      await lookups.load(`w${index}`)
      await lookups.load(`none${index}`)
    }
    const kept = (name: string) =>
      Array.from({ length: 10 }, (_, i) => lookups.last(`${name}${i}`)).filter(Boolean)
    expect(kept('w')).toHaveLength(3)
    expect(kept('none')).toHaveLength(3)
    expect(lookups.recent('w9')?.value).toBe('W')
  })

  test('is 503 when the database is away, and asks it no more for a second', async () => {
    const lookups = open()
    await lookups.load('a')
    answer = away
    await expect(lookups.load('b')).rejects.toMatchObject({ status: 503 })
    await expect(lookups.load('b')).rejects.toMatchObject({ status: 503 })
    expect(asked).toHaveLength(2)
    expect(lookups.last('a')?.value).toBe('A')
    answer = async () => {}
    now += 1_000
    expect(await lookups.load('b')).toBe('B')
  })

  test('spares another look-up of the same database the wait', async () => {
    const [sites, keys] = [open(), open()]
    answer = away
    await expect(sites.load('a')).rejects.toMatchObject({ status: 503 })
    await expect(keys.load('a')).rejects.toMatchObject({ status: 503 })
    expect(asked).toHaveLength(1)
  })

  test('is 503 by its deadline when the database does not answer, and works when it does', async () => {
    const lookups = open({ deadlineMs: 20 })
    const { promise, resolve } = Promise.withResolvers<void>()
    answer = () => promise
    await expect(lookups.load('a')).rejects.toMatchObject({ status: 503 })
    resolve()
    now += 1_000
    expect(await lookups.load('b')).toBe('B')
    expect(lookups.recent('a')?.value).toBe('A')
  })

  test('passes any other failure on as it is', async () => {
    const lookups = open()
    answer = () => Promise.reject(new TypeError('a fault of ours'))
    await expect(lookups.load('a')).rejects.toThrow('a fault of ours')
  })
})
