import { describe, expect, test } from 'vitest'
import { createClock } from '../testing/clock.ts'
import { createWebStorage } from '../testing/web-storage.ts'
import { createNotes } from './notes.ts'

const HOUR_MS = 3_600_000

describe('a note', () => {
  test('holds for its time, for every page of the site', () => {
    const [clock, storage] = [createClock(), createWebStorage()]
    const [one, other] = [0, 1].map(() => createNotes(() => storage, 'usher:', clock.now))
    one?.write('no:news', 1_000, 'a b\tc')
    expect(other?.read('no:news')).toBe('a b\tc')
    expect(other?.read('no:new')).toBeUndefined()
    clock.advance(999)
    expect(other?.read('no:news')).toBe('a b\tc')
    clock.advance(1)
    expect(other?.read('no:news')).toBeUndefined()
  })

  test('may be empty', () => {
    const [clock, storage] = [createClock(), createWebStorage()]
    const notes = createNotes(() => storage, 'usher:', clock.now)
    notes.write('limited', 1_000, '')
    expect(notes.read('limited')).toBe('')
  })

  test('holds for an hour at most, and not at all where a clock was ahead when it was written', () => {
    const [clock, storage] = [createClock(), createWebStorage()]
    const notes = createNotes(() => storage, 'usher:', clock.now)
    notes.write('long', 48 * HOUR_MS, 'x')
    clock.advance(HOUR_MS - 1)
    expect(notes.read('long')).toBe('x')
    clock.advance(1)
    expect(notes.read('long')).toBeUndefined()
    notes.write('ahead', 1_000, 'x')
    clock.set(clock.now() - 24 * HOUR_MS)
    expect(notes.read('ahead')).toBeUndefined()
  })

  test.for(['', 'x', 'x y', ' ', '{}', 'NaN x'])('that another script has spoilt is none: %j', text => {
    const storage = createWebStorage()
    storage.setItem('usher:no', text)
    expect(createNotes(() => storage, 'usher:', Date.now).read('no')).toBeUndefined()
  })

  test('is not taken where storage is forbidden or full, and nothing is thrown', () => {
    const forbidden = createNotes(
      () => {
        throw new DOMException('Denied.', 'SecurityError')
      },
      'usher:',
      Date.now,
    )
    const full = createNotes(() => createWebStorage(0), 'usher:', Date.now)
    for (const notes of [forbidden, full]) {
      notes.write('no', 1_000, 'x')
      expect(notes.read('no')).toBeUndefined()
    }
  })
})
