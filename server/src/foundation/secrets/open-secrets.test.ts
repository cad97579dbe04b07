import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openSecrets } from './index.ts'

const older = randomBytes(32)
const newer = randomBytes(32)
const before = openSecrets([older])
const during = openSecrets([newer, older])
const after = openSecrets([newer])
const plain = Buffer.from('a secret')
const rotated = /USHER_SECRET_KEY does not hold any more/

describe('a sealed secret', () => {
  test.for([Buffer.alloc(0), plain, randomBytes(5_000)])('is opened again (%#)', secret => {
    expect(after.open('mail', after.seal('mail', secret))).toEqual(secret)
  })

  test('does not show what it holds, and is another each time', () => {
    const sealed = [after.seal('mail', plain), after.seal('mail', plain)]
    expect(sealed[0]).not.toEqual(sealed[1])
    for (const one of sealed) expect(one.includes(plain)).toBe(false)
  })

  test('is opened for its own purpose only', () => {
    const sealed = after.seal('mail', plain)
    expect(() => after.open('mail ', sealed)).toThrow('authenticate')
  })

  test('is refused when any one of its bytes was changed', () => {
    const sealed = after.seal('mail', plain)
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => after.open('mail', changed)).toThrow()
    }
  })

  test('is refused when it was cut or is none', () => {
    const sealed = after.seal('mail', plain)
    for (const length of [0, 1, 20, 36, sealed.length - 1])
      expect(() => after.open('mail', sealed.subarray(0, length))).toThrow()
  })

  test('is opened as long as its key is in the list', () => {
    const old = before.seal('mail', plain)
    expect(during.open('mail', old)).toEqual(plain)
    expect(() => after.open('mail', old)).toThrow(rotated)
    expect(() => before.open('mail', during.seal('mail', plain))).toThrow(rotated)
    expect(after.open('mail', during.seal('mail', plain))).toEqual(plain)
  })
})

describe('an HMAC', () => {
  test('is that of one text, purpose and key', () => {
    const mac = after.hmac('code', '123456')
    expect(mac).toHaveLength(32)
    expect(after.verifyHmac('code', '123456', mac)).toBe(true)
    expect(after.verifyHmac('code', '123457', mac)).toBe(false)
    expect(after.verifyHmac('codes', '123456', mac)).toBe(false)
    expect(before.verifyHmac('code', '123456', mac)).toBe(false)
    expect(after.verifyHmac('code', '123456', mac.subarray(1))).toBe(false)
  })

  test('is made with the newest key and verified with all', () => {
    expect(during.verifyHmac('code', '123456', before.hmac('code', '123456'))).toBe(true)
    expect(during.hmac('code', '123456')).toEqual(after.hmac('code', '123456'))
  })
})

test('keys of another length, or none, are refused', () => {
  expect(() => openSecrets([])).toThrow('At least one secret key is needed.')
  expect(() => openSecrets([newer, randomBytes(16)])).toThrow('A secret key has 32 bytes.')
})
