import { describe, expect, test } from 'vitest'
import { markOf, readMemberToken } from './member-token.ts'

describe("the member's token", () => {
  test.for([
    ['_SERVICET=a.b.c', 'a.b.c'],
    ['x=1; _SERVICET=a.b.c; y=2', 'a.b.c'],
    ['_SERVICET=', ''],
    ['', ''],
    ['X_SERVICET=a; _SERVICETX=b', ''],
    ['x=_SERVICET=a', ''],
  ] as const)('of the cookies %j is %j', ([cookies, token]) => {
    expect(readMemberToken(cookies, '_SERVICET')).toBe(token)
  })

  test('leaves a mark that is no token, and has no space in it', () => {
    expect(markOf('header.payload.signature-of-256-bytes')).toBe('56-bytes'.slice(-8))
    expect(markOf('a b\n"c"')).toBe('abc')
    expect(markOf('')).toBe('')
  })
})
