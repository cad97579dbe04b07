import { expect, test } from 'vitest'
import { challengeOf, makeSecret } from './pkce.ts'

test('a challenge is that of RFC 7636, appendix B', async () => {
  expect(await challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  )
})

test('a secret has 43 characters that a verifier may have (RFC 7636 4.1), and is another each time', () => {
  const secrets = new Set(Array.from({ length: 500 }, makeSecret))
  expect(secrets.size).toBe(500)
  for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/)
})
