import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint } from 'jose'
import type { Secrets } from '../../foundation/secrets/index.ts'
import { type StoredSigningKey, sealPurpose } from './signing-key.ts'

const generate = promisify(generateKeyPair)

/** Makes an RS256 key of 2,048 bits for a tenant, in the thread pool: it takes 50 to 300 ms. */
export async function makeSigningKey(
  tenantId: string,
  secrets: Secrets,
): Promise<Pick<StoredSigningKey, 'kid' | 'publicJwk' | 'sealedPrivateKey'>> {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: 2_048 })
  const { kty, n, e } = publicKey.export({ format: 'jwk' })
  const kid = await calculateJwkThumbprint({ kty, n, e } as { kty: string; n: string; e: string })
  const plain = privateKey.export({ format: 'der', type: 'pkcs8' })
  const sealedPrivateKey = secrets.seal(sealPurpose(tenantId, kid), plain)
  plain.fill(0)
  return { kid, publicJwk: { kty, use: 'sig', alg: 'RS256', kid, n, e }, sealedPrivateKey }
}
