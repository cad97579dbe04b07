import type { Database } from '../foundation/database/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import type { Tenant } from '../tenancy/index.ts'
import { deviceSessionS } from './device-session.ts'
import { insertDeviceSession } from './member-sessions.store.ts'
import { signDeviceToken } from './sign-member-token.ts'
import type { KeyRings } from './signing-keys/open-key-rings.ts'

/** As much of a user agent is kept as with events. */
const maxUserAgentLength = 1_024

export interface StartedSession {
  sessionId: string
  /** For the cookie. */
  token: string
  expiresAt: Date
}

/** Starts a session for a browser, with a device token. Always a new session: one that somebody knew before the
 *  sign-in is worth nothing after it. */
export async function startDeviceSession(
  trx: Database,
  { keyRings, publicUrl }: { keyRings: KeyRings; publicUrl: URL },
  {
    tenant,
    memberId,
    userAgent,
    address,
    now,
  }: { tenant: Tenant; memberId: string; userAgent: string; address: string; now: Date },
): Promise<StartedSession> {
  // JWTs count whole seconds; the rows say the same as the token.
  const issuedAt = new Date(Math.floor(now.getTime() / 1_000) * 1_000)
  const expiresAt = new Date(issuedAt.getTime() + deviceSessionS * 1_000)
  const sessionId = uuidv7()
  const tokenId = uuidv7()
  await insertDeviceSession(trx, tenant.id, {
    sessionId,
    memberId,
    // PostgreSQL cannot carry NUL.
    userAgent: userAgent.slice(0, maxUserAgentLength).toWellFormed().replaceAll('\0', ''),
    address: address || null,
    tokenId,
    issuedAt,
    expiresAt,
  })
  const token = await signDeviceToken(
    { keyRings, publicUrl },
    { tenant, memberId, sessionId, tokenId, issuedAt, expiresAt },
  )
  return { sessionId, token, expiresAt }
}
