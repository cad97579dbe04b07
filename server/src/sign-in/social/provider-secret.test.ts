import { expect, test } from 'vitest'
import { openSecrets } from '../../foundation/secrets/index.ts'
import { openSecret, sealSecret } from './provider-secret.ts'

test('a sealed secret opens for the provider and the tenant that it is of, and is worth nothing in another row', () => {
  const secrets = openSecrets([Buffer.alloc(32, 1)])
  const sealedSecret = sealSecret(secrets, 'acme', 'google', 'the secret')
  expect(sealedSecret.toString()).not.toContain('the secret')
  expect(openSecret(secrets, 'acme', { id: 'google', sealedSecret })).toBe('the secret')
  expect(() => openSecret(secrets, 'globe', { id: 'google', sealedSecret })).toThrow()
  expect(() => openSecret(secrets, 'acme', { id: 'github', sealedSecret })).toThrow()
  expect(() =>
    openSecret(openSecrets([Buffer.alloc(32, 2)]), 'acme', { id: 'google', sealedSecret }),
  ).toThrow()
})
