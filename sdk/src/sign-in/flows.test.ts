import { describe, expect, test } from 'vitest'
import { createTestBrowser } from '../testing/sign-in-page.ts'
import { type Flow, keepFlow, takeFlow } from './flows.ts'
import { createNotes } from './notes.ts'

const flow = (state: string): Flow => ({
  state,
  codeVerifier: `verifier of ${state}`,
  clientId: 'news',
  redirectUri: 'https://news.example.com/back',
  returnTo: undefined,
})

describe('the sign-ins under way', () => {
  test('are found once, in whatever tab', () => {
    const browser = createTestBrowser()
    const [one, other] = [browser.openPage().notes, browser.openPage().notes]
    expect([keepFlow(one, flow('a')), keepFlow(other, flow('b'))]).toEqual([true, true])
    expect(takeFlow(other, 'a')).toEqual(flow('a'))
    expect(takeFlow(one, 'a')).toBeUndefined()
    expect(takeFlow(one, 'b')).toEqual(flow('b'))
  })

  test('are ten at most, the oldest forgotten', () => {
    const { notes } = createTestBrowser().openPage()
    const states = Array.from({ length: 11 }, (_, n) => `state ${n}`)
    for (const state of states) keepFlow(notes, flow(state))
    expect(states.filter(state => takeFlow(notes, state))).toEqual(states.slice(1))
  })

  test('are over after an hour', () => {
    const browser = createTestBrowser()
    const { notes } = browser.openPage()
    keepFlow(notes, flow('a'))
    browser.clock.advance(3_600_000)
    expect(takeFlow(notes, 'a')).toBeUndefined()
  })

  test.for([null, undefined, '', 'b'])('are not found by %j', state => {
    const { notes } = createTestBrowser().openPage()
    keepFlow(notes, flow('a'))
    expect(takeFlow(notes, state)).toBeUndefined()
  })

  test('are begun anew where another script has spoilt them', () => {
    const browser = createTestBrowser()
    const { notes } = browser.openPage()
    notes.write('flows', 1_000, '[{')
    expect(takeFlow(notes, 'a')).toBeUndefined()
    expect(keepFlow(notes, flow('a'))).toBe(true)
  })

  test('say when they cannot be kept', () => {
    const nowhere = createNotes(
      () => {
        throw new DOMException('Denied.', 'SecurityError')
      },
      '',
      Date.now,
    )
    expect(keepFlow(nowhere, flow('a'))).toBe(false)
  })
})
