import type { Database } from '../../foundation/database/index.ts'
import type { Secrets } from '../../foundation/secrets/index.ts'
import { sealPurpose } from './signing-key.ts'
import { findNewestSigningKey } from './signing-keys.store.ts'

/** Whether the secret key is the one that the platform's other processes have: whether it opens the signing key that was made
 *  last. True while there is none. */
export async function canOpenSigningKeys(db: Database, secrets: Secrets): Promise<boolean> {
  const newest = await findNewestSigningKey(db)
  if (!newest) return true
  try {
    secrets.open(sealPurpose(newest.tenantId, newest.kid), newest.sealedPrivateKey)
    return true
  } catch {
    // Sealed with another, or changed: of no use in either case.
    return false
  }
}
