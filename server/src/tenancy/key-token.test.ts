import { expect, test } from 'vitest'
import { hashToken, hasValidChecksum, kindOfToken, makeToken } from './key-token.ts'

test.for([
  ['platform', /^usher_platform_[0-9A-Za-z]{38}$/],
  ['organization', /^usher_org_[0-9A-Za-z]{38}$/],
] as const)('a made %s token has its prefix and a checksum', ([kind, form]) => {
  const tokens = Array.from({ length: 200 }, () => makeToken(kind))
  expect(new Set(tokens).size).toBe(tokens.length)
  for (const token of tokens) {
    expect(token).toMatch(form)
    expect(kindOfToken(token)).toBe(kind)
    expect(hasValidChecksum(token)).toBe(true)
  }
})

test('a token in which one character is another has no valid checksum', () => {
  const token = makeToken('organization')
  for (let at = 'usher_org_'.length; at < token.length; at++) {
    const other = token[at] === 'x' ? 'y' : 'x'
    expect(hasValidChecksum(token.slice(0, at) + other + token.slice(at + 1))).toBe(false)
  }
  expect(hasValidChecksum(token.slice(0, -1))).toBe(false)
  expect(hasValidChecksum('usher_org_')).toBe(false)
})

test('a checksum is expected where the prefix stands, and nowhere else', () => {
  expect(hasValidChecksum('a-declared-token-of-32-characters')).toBe(true)
  expect(hasValidChecksum('usher_organization')).toBe(true)
  expect(hasValidChecksum(`usher_platform_${'x'.repeat(38)}`)).toBe(false)
})

test('a token is kept as its SHA-256', () => {
  // FIPS 180-2, B.1: "abc".
  expect(Buffer.from(hashToken('abc'), 'base64url').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})
