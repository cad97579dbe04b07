import { describe, expect, test } from 'vitest'
import { createVisits } from './visits.ts'

const flow = { state: 's', verifier: 'v', nonce: 'n' }
const cookieOf = (setCookie: string) => setCookie.split(';', 1)[0]

describe('visits', () => {
  test('are found by their cookie, until they are replaced', () => {
    const visits = createVisits<object>({ cookieName: 'partner', secure: false })
    const cookie = cookieOf(visits.replace(undefined, { flow }))
    expect(visits.find(`other=1; ${cookie}`)).toEqual({ flow })
    const next = cookieOf(visits.replace(cookie, {}))
    expect(next).not.toBe(cookie)
    expect(visits.find(cookie)).toBeUndefined()
    expect(visits.find(next)).toEqual({})
  })

  test('are not found under a name that was not given', () => {
    const visits = createVisits<object>({ cookieName: 'partner', secure: false })
    visits.replace('partner=chosen', { flow })
    expect(visits.find('partner=chosen')).toBeUndefined()
    expect(visits.find('partner=')).toBeUndefined()
    expect(visits.find(undefined)).toBeUndefined()
  })

  test('end after a day', () => {
    let nowMs = 0
    const visits = createVisits<object>({ cookieName: 'partner', secure: false, nowMs: () => nowMs })
    const cookie = cookieOf(visits.replace(undefined, { flow }))
    nowMs = 24 * 3_600_000 - 1
    expect(visits.find(cookie)).toEqual({ flow })
    nowMs++
    expect(visits.find(cookie)).toBeUndefined()
  })

  test('are no more than ten thousand: the oldest goes', () => {
    const visits = createVisits<object>({ cookieName: 'partner', secure: false })
    const first = cookieOf(visits.replace(undefined, { flow }))
    const second = cookieOf(visits.replace(undefined, { flow }))
    for (let count = 2; count <= 10_000; count++) visits.replace(undefined, {})
    expect(visits.find(first)).toBeUndefined()
    expect(visits.find(second)).toEqual({ flow })
  })

  test.for([
    [false, /^partner=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax$/],
    [true, /^__Host-partner=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax; Secure$/],
  ] as const)('have a cookie that fits (https: %s)', ([secure, expected]) => {
    expect(createVisits<object>({ cookieName: 'partner', secure }).replace(undefined, {})).toMatch(expected)
  })
})
