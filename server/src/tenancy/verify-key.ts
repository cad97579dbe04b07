import type { Database } from '../foundation/database/index.ts'
import { ApiError, unauthorized } from '../foundation/http/index.ts'
import { createLookups, type Reachability } from '../foundation/lookups.ts'
import { hashToken, hasValidChecksum } from './key-token.ts'
import { findKeysByHash, type KnownKey } from './keys.store.ts'

export interface Keys {
  /** The key of an Authorization header. Throws 401 for a missing, malformed, unknown, revoked or expired
   *  one, 503 when the database is away; at once when the key is known. */
  verify(authorization: string | undefined): KnownKey | Promise<KnownKey>
  /** The same for the health routes: while the database is away a key seen in the last ten minutes
   *  passes, and of any other `undefined` says that it could not be checked. */
  verifyForHealth(authorization: string | undefined): Promise<KnownKey | undefined>
  invalidate(): void
}

/** Decisions, "Answers": how long a key that was seen keeps working for the health routes. */
const HEALTH_GRACE_MS = 10 * 60_000

const UNKNOWN = 'This API key is unknown or revoked. Send a valid one as "Authorization: Bearer <key>".'

/** The token of an Authorization header. Throws 401 unless it is the scheme Bearer, in any case, and
 *  exactly one token of visible ASCII (RFC 6750 2.1). */
function tokenOf(authorization: string | undefined): string {
  if (authorization === undefined) throw unauthorized()
  const token = /^bearer +([\x21-\x7e]{1,1024})$/i.exec(authorization)?.[1]
  if (token === undefined) throw unauthorized()
  if (!hasValidChecksum(token))
    throw unauthorized('This API key is not complete: its checksum does not fit. Copy it again.')
  return token
}

/** Verifies API keys. What was found is believed for at most ten seconds, and not past a change that the
 *  database tells of. */
export function createKeys(options: { db: Database; reachability: Reachability; nowMs(): number }): Keys {
  const { db, nowMs } = options
  const lookups = createLookups<KnownKey>({
    loadMany: hashes => findKeysByHash(db, hashes),
    refreshAfterMs: 5_000,
    expireAfterMs: 10_000,
    maxEntries: 10_000,
    deadlineMs: 800,
    reachability: options.reachability,
    nowMs,
  })

  function check(key: KnownKey | undefined): KnownKey {
    if (key === undefined) throw unauthorized(UNKNOWN)
    if (key.expiresAt !== null && key.expiresAt.getTime() <= nowMs())
      throw unauthorized('This API key has expired. Ask for a new one.')
    // Platform keys are worth what their owner is: of one who is no operator any more, nothing.
    if (key.credential.kind === 'platform' && !key.isOperator) throw unauthorized(UNKNOWN)
    return key
  }

  function verify(authorization: string | undefined): KnownKey | Promise<KnownKey> {
    const hash = hashToken(tokenOf(authorization))
    const recent = lookups.recent(hash)
    return recent ? check(recent.value) : lookups.load(hash).then(check)
  }

  return {
    verify,
    async verifyForHealth(authorization) {
      try {
        return await verify(authorization)
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 503)) throw error
        const last = lookups.last(hashToken(tokenOf(authorization)))
        if (last?.value === undefined || nowMs() - last.at > HEALTH_GRACE_MS) return undefined
        return check(last.value)
      }
    },
    invalidate: lookups.invalidate,
  }
}
