import { describe, expect, test } from 'vitest'
import { cookieValues, sessionCookies } from './session-cookies.ts'

const host = 'members.acme.example'
const name = '_SERVICET'

describe('the session cookie (interface 5)', () => {
  test("is the exact host's where the tenant has no Cookie Domain", () => {
    expect(sessionCookies({ name, cookieDomain: null, host, secure: false }, 'a.b.c')).toEqual([
      '_SERVICET=; Path=/; Domain=members.acme.example; Max-Age=0; SameSite=Lax',
      '_SERVICET=a.b.c; Path=/; Max-Age=2592000; SameSite=Lax',
    ])
  })

  test("is the Cookie Domain's where there is one, and Secure under https", () => {
    expect(sessionCookies({ name, cookieDomain: 'acme.example', host, secure: true }, 'a.b.c')).toEqual([
      '_SERVICET=; Path=/; Max-Age=0; SameSite=Lax; Secure',
      '_SERVICET=a.b.c; Path=/; Domain=acme.example; Max-Age=2592000; SameSite=Lax; Secure',
    ])
  })

  test('is cleared in both scopes by a sign-out', () => {
    expect(sessionCookies({ name, cookieDomain: 'acme.example', host, secure: false }, null)).toEqual([
      '_SERVICET=; Path=/; Max-Age=0; SameSite=Lax',
      '_SERVICET=; Path=/; Domain=acme.example; Max-Age=0; SameSite=Lax',
    ])
  })
})

test.for<[header: string | undefined, values: string[]]>([
  [undefined, []],
  ['', []],
  ['_SERVICET=a', ['a']],
  ['x=1; _SERVICET=a; y=2', ['a']],
  ['_SERVICET=planted; _SERVICET=mine', ['planted', 'mine']],
  ['_SERVICET=a;_SERVICET=b', ['a', 'b']],
  ['_servicet=a; X_SERVICET=b; _SERVICETX=c; _SERVICET', ['']],
  ['_SERVICET=a=b', ['a=b']],
  ['x=_SERVICET=a', []],
])('the values in the Cookie header %j', ([header, values]) => {
  expect(cookieValues(header, name)).toEqual(values)
})
