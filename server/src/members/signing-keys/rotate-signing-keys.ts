import type { Database } from '../../foundation/database/index.ts'
import type { Secrets } from '../../foundation/secrets/index.ts'
import { makeSigningKey } from './make-signing-key.ts'
import { type StoredSigningKey, signingKeyAt } from './signing-key.ts'
import {
  deleteSigningKeys,
  findSigningKeys,
  insertSigningKey,
  lockSigningKeys,
  updatePublishedUntil,
} from './signing-keys.store.ts'

const dayMs = 86_400_000

/** How long a key signs. */
export const signsForMs = 90 * dayMs
/** How long before it signs a key is published, so that everybody who keeps keys has it by then. */
export const publishedAheadMs = dayMs
/** By how much clocks may differ, and how long a process may sign with a key that it should have left. */
const toleranceMs = 3_600_000
/** Kept at least this long: id_tokens have no row, and live for an hour. */
const keptAtLeastS = 86_400

export interface RotateOptions {
  db: Database
  secrets: Secrets
  tenantId: string
  now: Date
  /** By hand: whatever the age of the key that signs. */
  force?: boolean
  /** Called in the transaction in which a key was made. */
  onMade?(trx: Database, made: { kid: string; signsFrom: Date }): Promise<void>
}

/** When a tenant needs another key to begin to sign; undefined while it has all it needs. The first one signs at
 *  once, by every clock, as nobody can have kept the keys of a tenant that had none. */
function nextDue(keys: readonly StoredSigningKey[], now: Date, force: boolean): Date | undefined {
  const current = signingKeyAt(keys, now)
  if (!current) return new Date(now.getTime() - toleranceMs)
  if (current.signsUntil !== null) return undefined
  const due = current.signsFrom.getTime() + signsForMs - publishedAheadMs <= now.getTime()
  return due || force ? new Date(now.getTime() + publishedAheadMs) : undefined
}

/** Makes the tenant's next key when it is time, and drops those whose last token has expired. Bears being repeated,
 *  and run in many processes at once: one key is made. Gives the tenant's keys. */
export async function rotateSigningKeys(options: RotateOptions): Promise<StoredSigningKey[]> {
  const { db, secrets, tenantId, now, force = false } = options
  const keysOf = async (trx: Database) => (await findSigningKeys(trx, [tenantId])).get(tenantId) ?? []
  // Made before the lock is taken: it takes a while.
  const made = nextDue(await keysOf(db), now, force) && (await makeSigningKey(tenantId, secrets))
  return db.transaction().execute(async trx => {
    await lockSigningKeys(trx, tenantId)
    const signsFrom = nextDue(await keysOf(trx), now, force)
    if (made && signsFrom) {
      await insertSigningKey(trx, tenantId, { ...made, createdAt: now, signsFrom })
      await options.onMade?.(trx, { kid: made.kid, signsFrom })
    }
    const signedBefore = new Date(now.getTime() - toleranceMs)
    await updatePublishedUntil(trx, tenantId, { signedBefore, atLeastS: keptAtLeastS })
    await deleteSigningKeys(trx, tenantId, now)
    return keysOf(trx)
  })
}
