import { beforeEach, describe, expect, test } from 'vitest'
import { createTestBrowser } from '../testing/sign-in-page.ts'
import { watchMember } from './member-changes.ts'

const KEY = 'usher:changed'

let browser: ReturnType<typeof createTestBrowser>
beforeEach(() => {
  browser = createTestBrowser()
})

/** A tab that tells what it was told. */
function openTab() {
  const [document, cookieStore] = [new EventTarget(), new EventTarget()]
  const window = Object.assign(new EventTarget(), { document, cookieStore })
  const told: boolean[] = []
  window.addEventListener('usher:member', event => {
    told.push((event as CustomEvent<{ isSignedIn: boolean }>).detail.isSignedIn)
  })
  const announce = watchMember(window as unknown as Window, browser.openPage(), KEY)
  return {
    told,
    announce,
    happens: {
      'a cookie changes': () => cookieStore.dispatchEvent(new Event('change')),
      'the page is looked at again': () => document.dispatchEvent(new Event('visibilitychange')),
      'the page is restored': () => window.dispatchEvent(new Event('pageshow')),
      'another tab tells': () =>
        window.dispatchEvent(
          Object.assign(new Event('storage'), { key: KEY, newValue: browser.storage.getItem(KEY) }),
        ),
      'another key is written': () =>
        window.dispatchEvent(Object.assign(new Event('storage'), { key: 'x', newValue: 'true' })),
    },
  }
}

describe('usher:member', () => {
  test.for(['a cookie changes', 'the page is looked at again', 'the page is restored'] as const)(
    'is told once for each change of the cookie that is noticed when %s',
    what => {
      const { told, happens } = openTab()
      happens[what]()
      expect(told).toEqual([])
      browser.sign('a.b.signature-of-ada')
      happens[what]()
      happens['the page is looked at again']()
      expect(told).toEqual([true])
      browser.sign('a.b.signature-of-bob')
      happens[what]()
      browser.sign('')
      happens[what]()
      expect(told).toEqual([true, true, false])
    },
  )

  test('is told to this tab and to the others when somebody signs out here', () => {
    browser.sign('a.b.signature-of-ada')
    const [one, other] = [openTab(), openTab()]
    browser.sign('')
    one.announce(false)
    expect([one.told, other.told]).toEqual([[false], []])
    other.happens['another key is written']()
    expect(other.told).toEqual([])
    other.happens['another tab tells']()
    other.happens['a cookie changes']()
    expect(other.told).toEqual([false])
  })

  test('is told to the others when somebody signs in and no page sees the cookie', () => {
    const [one, other] = [openTab(), openTab()]
    one.announce(true)
    other.happens['another tab tells']()
    expect([one.told, other.told]).toEqual([[], [false]])
  })

  test('is told where browsers do not tell of cookies', () => {
    const window = Object.assign(new EventTarget(), { document: new EventTarget() })
    let told = 0
    window.addEventListener('usher:member', () => void told++)
    watchMember(window as unknown as Window, browser.openPage(), KEY)
    browser.sign('a.b.c')
    window.dispatchEvent(new Event('pageshow'))
    expect(told).toBe(1)
  })
})
