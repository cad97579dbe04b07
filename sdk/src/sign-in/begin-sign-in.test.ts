import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestBrowser } from '../testing/sign-in-page.ts'
import type { SignInOptions } from './api.ts'
import { beginSignIn } from './begin-sign-in.ts'
import { takeFlow } from './flows.ts'
import { challengeOf } from './pkce.ts'
import { noteNo } from './silent-sign-in.ts'

const asked = { clientId: 'news', redirectUri: 'https://news.example.com/back?a=1' }
const silent = { ...asked, prompt: 'none' } as const

let browser: ReturnType<typeof createTestBrowser>
let warn: ReturnType<typeof vi.spyOn>
beforeEach(() => {
  browser = createTestBrowser()
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** A tab: where it was sent, and how often. */
function openTab({ isFramed = false, origin = 'https://news.example.com' } = {}) {
  const page = browser.openPage()
  const addresses: string[] = []
  const window = {
    self: {},
    location: {
      origin,
      assign: (address: string) => void addresses.push(address),
    },
  } as unknown as Window & typeof globalThis
  Object.assign(window, { top: isFramed ? {} : window.self })
  return { page, addresses, signIn: (options?: Partial<SignInOptions>) => beginSignIn(page, window, options) }
}

describe('signIn', () => {
  test('sends the browser to the tenant with state and a challenge, and keeps what the way back needs', async () => {
    const { page, addresses, signIn } = openTab()
    expect(await signIn({ ...asked, loginHint: 'a@b.example', returnTo: '/sport' })).toEqual({
      status: 'leaving',
    })
    const url = new URL(addresses[0] ?? '')
    expect(url.origin + url.pathname).toBe('https://members.example.com/oauth/authorize')
    const { state, code_challenge, ...others } = Object.fromEntries(url.searchParams)
    expect(others).toEqual({
      client_id: 'news',
      redirect_uri: 'https://news.example.com/back?a=1',
      response_type: 'code',
      code_challenge_method: 'S256',
      login_hint: 'a@b.example',
    })
    const flow = takeFlow(page.notes, state)
    expect(flow).toMatchObject({ ...asked, returnTo: '/sport' })
    expect(code_challenge).toBe(await challengeOf(flow?.codeVerifier ?? ''))
    expect(warn).not.toHaveBeenCalled()
  })

  test.for([undefined, {}, { ...asked, clientId: '' }])(
    'says that clientId is missing: %j',
    async options => {
      const { addresses, signIn } = openTab()
      expect(await signIn(options)).toEqual({ status: 'refused', reason: 'no_client_id' })
      expect(warn).toHaveBeenCalledWith('usher: signIn: clientId is missing')
      expect(addresses).toEqual([])
    },
  )

  test('refuses to come back to nowhere', async () => {
    const { addresses, signIn } = openTab()
    expect(await signIn({ clientId: 'news' })).toEqual({ status: 'refused', reason: 'other_origin' })
    expect(addresses).toEqual([])
  })

  test('passes prompt and scope on', async () => {
    const { addresses, signIn } = openTab()
    await signIn({ ...silent, scope: 'openid' })
    const { searchParams } = new URL(addresses[0] ?? '')
    expect([searchParams.get('prompt'), searchParams.get('scope')]).toEqual(['none', 'openid'])
  })

  test.for([
    'https://news.example.com',
    'https://news.example.com:443/back',
    'https://NEWS.example.com/back',
  ])('takes %s for an address of this origin', async redirectUri => {
    const { addresses, signIn } = openTab()
    expect(await signIn({ ...asked, redirectUri })).toEqual({ status: 'leaving' })
    expect(new URL(addresses[0] ?? '').searchParams.get('redirect_uri')).toBe(redirectUri)
  })

  test('takes a path alone for no address of this origin', async () => {
    const { addresses, signIn } = openTab()
    expect(await signIn({ ...asked, redirectUri: '/back' })).toEqual({
      status: 'refused',
      reason: 'other_origin',
    })
    expect(addresses).toEqual([])
  })

  test('has another state and verifier each time', async () => {
    const { addresses, signIn } = openTab()
    await signIn(asked)
    await signIn(asked)
    const values = addresses.flatMap(address =>
      ['state', 'code_challenge'].map(name => new URL(address).searchParams.get(name)),
    )
    expect(new Set(values).size).toBe(4)
  })

  test('is not tried silently again for a minute after nobody was there, unless the cookie is another', async () => {
    const { page, addresses, signIn } = openTab()
    noteNo(page, 'news', page.mark())
    expect(await signIn(silent)).toEqual({ status: 'refused', reason: 'login_required' })
    expect(await openTab().signIn(silent)).toEqual({ status: 'refused', reason: 'login_required' })
    expect([addresses, warn.mock.calls]).toEqual([[], []])
    expect(await signIn(asked)).toEqual({ status: 'leaving' })
    browser.clock.advance(60_000)
    expect(await signIn(silent)).toEqual({ status: 'leaving' })
    noteNo(page, 'news', page.mark())
    browser.sign('a.b.signature-of-ada')
    expect(await openTab().signIn(silent)).toEqual({ status: 'leaving' })
  })

  test.for([
    ['silently', silent, 2],
    ['with a page', asked, 5],
  ] as const)(
    'sends a tab away %s only so often within a minute, whatever becomes of it',
    async ([, options, times]) => {
      const { addresses, signIn } = openTab()
      for (let n = 0; n < times; n++) expect(await signIn(options)).toEqual({ status: 'leaving' })
      expect(await signIn(options)).toEqual({ status: 'refused', reason: 'loop' })
      expect(await signIn(options)).toEqual({ status: 'refused', reason: 'loop' })
      expect(addresses).toHaveLength(times)
      expect(warn.mock.calls.join()).toContain('completeSignIn')
      expect(await openTab().signIn(options)).toEqual({ status: 'leaving' })
      browser.clock.advance(60_000)
      expect(await signIn(options)).toEqual({ status: 'leaving' })
    },
  )

  test.for([
    ['frame', /frame/, () => openTab({ isFramed: true })],
    [
      'insecure_page',
      /https or localhost/,
      () => {
        // The page's, as a browser has it where there is no https.
        vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
        return openTab()
      },
    ],
    ['other_origin', /redirectUri/, () => openTab({ origin: 'https://blog.example.com' })],
    ['other_origin', /redirectUri/, () => openTab({ origin: 'https://news.example' })],
    [
      'no_storage',
      /no storage/,
      () => {
        const tab = openTab()
        vi.spyOn(browser.storage, 'setItem').mockImplementation(() => {
          throw new DOMException('Denied.', 'SecurityError')
        })
        return tab
      },
    ],
  ] as const)('is refused for %s, and says why to developers', async ([reason, words, open]) => {
    const { addresses, signIn } = open()
    expect(await signIn(asked)).toEqual({ status: 'refused', reason })
    expect(addresses).toEqual([])
    expect(warn.mock.calls.flat().join()).toMatch(words)
  })
})
