import { describe, expect, test } from 'vitest'
import { createConsent, isTrackingUnwanted } from './consent.ts'
import { openStorage } from './storage.ts'
import { createWebStorage } from './testing/web-storage.ts'

function openPage(isNeeded: boolean, web = createWebStorage()) {
  const recorded: string[] = []
  const consent = createConsent({ storage: openStorage(() => web), key: 'consent', isNeeded })
  return {
    ...consent,
    web,
    recorded,
    track: (...names: string[]) => {
      for (const name of names) consent.run(() => void recorded.push(name))
    },
  }
}

describe('consent', () => {
  test('is not asked for where it is not needed', () => {
    const page = openPage(false)
    page.track('1', '2')
    expect(page.recorded).toEqual(['1', '2'])
    expect(Object.keys(page.web)).toEqual([])
  })

  test('holds events back until it is given, and keeps nothing in the browser until then', () => {
    const page = openPage(true)
    page.track('1', '2')
    expect(page.recorded).toEqual([])
    expect(Object.keys(page.web)).toEqual([])
    page.answer(true)
    page.track('3')
    expect(page.recorded).toEqual(['1', '2', '3'])
  })

  test('that is refused drops what was held back, and what comes', () => {
    const page = openPage(true)
    page.track('1')
    page.answer(false)
    page.track('2')
    expect(page.recorded).toEqual([])
    page.answer(true)
    page.track('3')
    expect(page.recorded).toEqual(['3'])
  })

  test('can be refused where it was not needed', () => {
    const page = openPage(false)
    page.answer(false)
    page.track('1')
    expect(page.recorded).toEqual([])
  })

  test.for([
    [true, ['1', '2']],
    [false, []],
  ] as const)('of %s that is given in another tab holds here too', ([isGiven, recorded]) => {
    const page = openPage(true)
    page.track('1')
    openPage(true, page.web).answer(isGiven)
    page.track('2')
    openPage(true, page.web).answer(true)
    page.track(...(isGiven ? [] : ['3']))
    expect(page.recorded).toEqual(isGiven ? recorded : ['3'])
  })

  test('holds back 500 events, the oldest dropped', () => {
    const page = openPage(true)
    page.track(...Array.from({ length: 600 }, (_, n) => `${n}`))
    page.answer(true)
    expect(page.recorded).toEqual(Array.from({ length: 500 }, (_, n) => `${n + 100}`))
  })
})

describe('a browser', () => {
  test.for([
    ['Do Not Track', { doNotTrack: '1' }, true],
    ['Global Privacy Control', { globalPrivacyControl: true }, true],
    ['neither', { doNotTrack: null, globalPrivacyControl: false }, false],
    ['that it may be tracked', { doNotTrack: '0' }, false],
    ['nothing', {}, false],
  ] as const)('that says %s', ([, navigator, isUnwanted]) => {
    expect(isTrackingUnwanted({ navigator } as unknown as Window)).toBe(isUnwanted)
  })
})
