import type { JWK } from 'jose'
import type { Database } from '../foundation/database/index.ts'
import type { Tenant } from '../tenancy/index.ts'
import type { BrowserSession, Member, MemberSession } from './member.ts'
import type { AccessTokenContent, TokenKind, VerifiedToken } from './member-token.ts'

/** What the room offers to the others. Where a method takes a transaction, nothing of it is seen before the commit.
 *  All of them throw 503 when the database is away. */
export interface Members {
  /** The member of a mail address, made if there is none; undefined if there is none and the tenant's sign-up is
   *  closed. The address is taken in lower case. */
  findOrCreateMember(trx: Database, tenant: Tenant, email: string, now: Date): Promise<Member | undefined>

  /** Starts a session of 30 days for a browser and gives its device token, for `sessionCookies`. Always a new
   *  session, so that nobody can hand over one that he knows. `address` "" is an unknown one. */
  startDeviceSession(
    trx: Database,
    session: { tenant: Tenant; memberId: string; userAgent: string; address: string; now: Date },
  ): Promise<{ sessionId: string; token: string; expiresAt: Date }>

  /** Who is signed in on a browser: the newest valid device token among all cookies of the configured name. Writes
   *  nothing. */
  findBrowserSession(browser: {
    tenant: Tenant
    cookieHeader: string | undefined
  }): Promise<BrowserSession | undefined>

  /** The values of Set-Cookie that sign a browser in with a device token, or with `null` out (interface 5). */
  sessionCookies(tenant: Tenant, token: string | null): string[]

  /** Signs an access token for a row of member_tokens that stands already. */
  signAccessToken(tenant: Tenant, content: AccessTokenContent): Promise<string>

  /** Signs an id_token (OpenID Connect Core 2): these claims, and `iss`. */
  signIdToken(tenant: Tenant, claims: Record<string, unknown>): Promise<string>

  /** A token that is good now; undefined when it is not one of these kinds of this tenant's tokens, is expired or
   *  revoked, when its session has ended or its client is disabled. `recent` believes what was found out in the
   *  last seconds, but for ends that this process heard of; else the database is asked. */
  verifyMemberToken(options: {
    tenant: Tenant
    token: string
    kinds: readonly TokenKind[]
    recent?: boolean
  }): Promise<VerifiedToken | undefined>

  /** The member of a verified token or a session. */
  findMember(tenantId: string, memberId: string): Promise<Member | undefined>

  /** The member's live sessions, the one seen last first. */
  listSessions(tenantId: string, memberId: string, now: Date): Promise<MemberSession[]>

  /** Ends a session of a member, and every token that rides it, at once. False when the member has no such live
   *  session. */
  endSession(tenantId: string, session: { memberId: string; sessionId: string; now: Date }): Promise<boolean>

  /** Revokes one token (RFC 7009), and ends its session if that is an integration's: a device's goes on. */
  revokeToken(tenantId: string, token: { tokenId: string; now: Date }): Promise<void>

  /** Notes where a session was used, at most once in five minutes. Not for the probe, which changes nothing. */
  noteSeen(tenantId: string, use: { sessionId: string; address: string; now: Date }): Promise<void>

  /** The tenant's public keys, as JWKS has them (RFC 7517 5). */
  publicKeys(tenantId: string): Promise<JWK[]>
}
