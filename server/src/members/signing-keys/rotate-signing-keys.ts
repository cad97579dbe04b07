import type { Database } from '../../foundation/database/index.ts'
import type { Secrets } from '../../foundation/secrets/index.ts'
import { type Actor, recordAudit } from '../../tenancy/index.ts'
import { makeSigningKey } from './make-signing-key.ts'
import { type StoredSigningKey, sealPurpose, signingKeyAt } from './signing-key.ts'
import {
  deleteSigningKeys,
  findSigningKeys,
  insertSigningKey,
  lockSigningKeys,
  updatePublishedUntil,
} from './signing-keys.store.ts'

const dayMs = 86_400_000

/** How long a key signs. */
const signsForMs = 90 * dayMs
/** How long before it signs a key is published, so that everybody who keeps keys has it by then. */
const publishedAheadMs = dayMs
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
  /** For the audit trail: who lets a key be made. */
  actor: Actor
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
 *  and run in many processes at once: one key is made. Gives the tenant's keys. Throws a StartError when the secret
 *  key is another than that of the keys that are there. */
export async function rotateSigningKeys(options: RotateOptions): Promise<StoredSigningKey[]> {
  const { db, secrets, tenantId, now, force = false, actor } = options
  const keysOf = async (trx: Database) => (await findSigningKeys(trx, [tenantId])).get(tenantId) ?? []
  const known = await keysOf(db)
  const isDue = nextDue(known, now, force) !== undefined
  // A key that is sealed with another secret key than the platform's would be of no use to it.
  const last = known.at(-1)
  if (isDue && last) secrets.open(sealPurpose(tenantId, last.kid), last.sealedPrivateKey)
  // Made before the lock is taken: it takes a while.
  const made = isDue ? await makeSigningKey(tenantId, secrets) : undefined
  return db.transaction().execute(async trx => {
    await lockSigningKeys(trx, tenantId)
    const signsFrom = nextDue(await keysOf(trx), now, force)
    if (made && signsFrom) {
      await insertSigningKey(trx, tenantId, { ...made, createdAt: now, signsFrom })
      await recordAudit(trx, {
        tenantId,
        actor,
        action: 'signing_key.made',
        target: made.kid,
        details: { signs_from: signsFrom.toISOString() },
        at: now,
      })
    }
    const signedBefore = new Date(now.getTime() - toleranceMs)
    await updatePublishedUntil(trx, tenantId, { signedBefore, atLeastS: keptAtLeastS })
    await deleteSigningKeys(trx, tenantId, now)
    return keysOf(trx)
  })
}
