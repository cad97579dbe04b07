import { describe, expect, test } from 'vitest'
import { openStorage } from './storage.ts'
import { createWebStorage } from './testing/web-storage.ts'

describe('storage', () => {
  test('keeps what it is given in the Web Storage', () => {
    const web = createWebStorage()
    const storage = openStorage(() => web)
    storage.set('a', '1')
    storage.set('b', '2')
    storage.remove('a')
    expect(web.getItem('b')).toBe('2')
    expect([storage.get('a'), storage.get('b'), storage.keys()]).toEqual([null, '2', ['b']])
  })

  test('works in memory where naming the storage throws', () => {
    const storage = openStorage(() => {
      throw new DOMException('Access is denied for this document.', 'SecurityError')
    })
    storage.set('a', '1')
    expect([storage.get('a'), storage.get('b'), storage.keys()]).toEqual(['1', null, ['a']])
    storage.remove('a')
    expect(storage.get('a')).toBe(null)
  })

  test('reads back what a full storage refused, until there is room again', () => {
    const web = createWebStorage(20)
    const storage = openStorage(() => web)
    storage.set('a', '1')
    storage.set('a', 'x'.repeat(100))
    expect(storage.get('a')).toBe('x'.repeat(100))
    storage.set('a', '2')
    expect([storage.get('a'), web.getItem('a')]).toEqual(['2', '2'])
  })

  test('does not leave behind what was kept before, when there is no room for what takes its place', () => {
    const web = createWebStorage(20)
    const storage = openStorage(() => web)
    storage.set('a', '1')
    storage.set('a', 'x'.repeat(100))
    expect(web.getItem('a')).toBe(null)
    storage.remove('a')
    web.setItem('b', 'x'.repeat(15))
    storage.set('a', '12')
    web.setItem('b', '')
    storage.set('a', '123456')
    expect([storage.get('a'), web.getItem('a')]).toEqual(['123456', '123456'])
  })
})
