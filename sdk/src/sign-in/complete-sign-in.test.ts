import { beforeEach, describe, expect, test } from 'vitest'
import { createTestBrowser } from '../testing/sign-in-page.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { keepFlow } from './flows.ts'
import { isNoted, noteNo } from './silent-sign-in.ts'

const iss = 'https://members.example.com'
const back = 'https://news.example.com/back'
const flow = {
  state: 'state-1',
  codeVerifier: 'v'.repeat(43),
  clientId: 'news',
  redirectUri: back,
  returnTo: '/sport',
}
const answer = { code: 'the-code', state: 'state-1', iss }

let browser: ReturnType<typeof createTestBrowser>
let page: ReturnType<typeof browser.openPage>
beforeEach(() => {
  browser = createTestBrowser(iss)
  page = browser.openPage()
  keepFlow(page.notes, flow)
})

/** Comes back with these parameters: what is completed, and what the address bar shows then. */
function arrive(query: Record<string, string>, address = back) {
  const url = new URL(address)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const location = { href: url.href }
  const history = {
    state: { of: 'the page' },
    replaceState(state: unknown, _title: string, next: URL) {
      expect(state).toEqual({ of: 'the page' })
      location.href = next.href
    },
  }
  const window = { location, history } as unknown as Window
  return { completed: completeSignIn(page, window), shown: () => location.href, window }
}

describe('completeSignIn', () => {
  test('gives what the publisher’s server needs, once, and leaves an address without it', () => {
    const { completed, shown, window } = arrive(answer, `${back}?edition=morning#top`)
    expect(completed).toEqual({ status: 'authenticated', code: 'the-code', ...flow })
    expect(shown()).toBe(`${back}?edition=morning#top`)
    expect(completeSignIn(page, window)).toEqual({ status: 'none' })
    expect(arrive(answer).completed).toMatchObject({ status: 'refused', error: 'state_mismatch' })
  })

  test('forgets that nobody was there', () => {
    noteNo(page, 'news', '')
    arrive(answer)
    expect(isNoted(page, 'news')).toBe(false)
  })

  test('goes on in another tab, as from the link of a mail', () => {
    page = browser.openPage()
    expect(arrive(answer).completed).toMatchObject({
      status: 'authenticated',
      codeVerifier: flow.codeVerifier,
    })
  })

  test('gives the server’s error, and remembers that nobody was there', () => {
    const { completed, shown } = arrive({
      error: 'login_required',
      error_description: 'Nobody is signed in.',
      error_uri: 'https://members.example.com/docs',
      state: 'state-1',
      iss,
    })
    expect(completed).toEqual({
      status: 'refused',
      error: 'login_required',
      description: 'Nobody is signed in.',
      returnTo: '/sport',
    })
    expect(shown()).toBe(back)
    expect(isNoted(page, 'news')).toBe(true)
  })

  test('remembers nothing of another error', () => {
    expect(arrive({ error: 'invalid_request', state: 'state-1', iss }).completed).toMatchObject({
      error: 'invalid_request',
    })
    expect(isNoted(page, 'news')).toBe(false)
  })

  test.for([
    ['a state that this browser did not send', { ...answer, state: 'of-somebody-else' }, 'state_mismatch'],
    ['no state', { code: 'the-code', iss }, 'state_mismatch'],
    ['an error with another state', { error: 'login_required', state: 'x', iss }, 'state_mismatch'],
    ['another issuer', { ...answer, iss: 'https://members.example.com.evil.example' }, 'iss_mismatch'],
    ['no issuer', { code: 'the-code', state: 'state-1' }, 'iss_mismatch'],
    ['both a code and an error', { ...answer, error: 'access_denied' }, 'access_denied'],
  ] as const)('refuses %s, and the address bar forgets it', ([, query, error]) => {
    const { completed, shown } = arrive(query)
    expect(completed).toMatchObject({ status: 'refused', error })
    expect(completed).not.toHaveProperty('code')
    expect(completed).not.toHaveProperty('codeVerifier')
    expect(shown()).toBe(back)
    if (error === 'state_mismatch') expect(isNoted(page, 'news')).toBe(false)
  })

  test.for<[string, Record<string, string>]>([
    ['nothing', {}],
    ['a code for another library', { code: 'x', state: 'y' }],
    ['a code of another server', { code: 'x', state: 'y', iss: 'https://other.example' }],
    ['a state alone', { state: 'state-1', iss }],
  ])('leaves %s to whom it is for', ([, query]) => {
    const { completed, shown } = arrive(query)
    expect(completed).toEqual({ status: 'none' })
    expect(shown()).toBe(`${back}${Object.keys(query).length > 0 ? '?' : ''}${new URLSearchParams(query)}`)
    expect(arrive(answer).completed).toMatchObject({ status: 'authenticated' })
  })
})
