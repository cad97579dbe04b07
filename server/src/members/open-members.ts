import type { JWK } from 'jose'
import {
  type Database,
  type DatabaseTransaction,
  listen,
  openDatabase,
} from '../foundation/database/index.ts'
import type { Reachability } from '../foundation/lookups.ts'
import type { Secrets } from '../foundation/secrets/index.ts'
import type { Actor, Tenant } from '../tenancy/index.ts'
import {
  type EndedSession,
  endClientSessions,
  endSession,
  endSessionAsStaff,
  revokeToken,
} from './end-session.ts'
import { findBrowserSession } from './find-browser-session.ts'
import { findOrCreateMember } from './find-or-create-member.ts'
import type { BrowserSession, Member, MemberProfile, MemberSession } from './member.ts'
import { listLiveSessions } from './member-sessions.store.ts'
import type { AccessTokenContent, TokenKind, VerifiedToken } from './member-token.ts'
import { findMemberByEmail, findMemberById } from './members.store.ts'
import { renameMember, suggestName } from './name-member.ts'
import { seenNotes } from './note-seen.ts'
import { type IdTokenFacts, readIdToken } from './read-id-token.ts'
import { cookieValues, sessionCookies } from './session-cookies.ts'
import { signAccessToken, signIdToken, signLogoutToken } from './sign-member-token.ts'
import { openKeyRings } from './signing-keys/open-key-rings.ts'
import { startDeviceSession } from './start-device-session.ts'
import { createTokenVerifier } from './verify-member-token.ts'

/** What the room offers to the others. Where a method takes a transaction, nothing of it is seen before the commit.
 *  All of them throw 503 when the database is away. */
export interface Members {
  /** The member of a mail address, made if there is none; undefined if there is none and the tenant's sign-up is
   *  closed. The address is taken in lower case. */
  findOrCreateMember(trx: Database, tenant: Tenant, email: string, now: Date): Promise<Member | undefined>

  /** Names a member as somebody else has told it, where the member never had a name; tidied and shortened. Null, and what
   *  nothing is left of, names nobody. */
  suggestName(trx: Database, tenantId: string, told: { memberId: string; name: string | null }): Promise<void>

  /** Gives a member the name that they chose, tidied; an empty one takes it away. False when it is too long. */
  renameMember(tenantId: string, chosen: { memberId: string; name: string }): Promise<boolean>

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

  /** The values of all session cookies that a browser sent, unverified. */
  sessionCookieValues(cookieHeader: string | undefined): string[]

  /** The values of Set-Cookie that sign a browser in with a device token, or with `null` out (interface 5). */
  sessionCookies(tenant: Tenant, token: string | null): string[]

  /** Signs an access token for a row of member_tokens that stands already. */
  signAccessToken(tenant: Tenant, content: AccessTokenContent): Promise<string>

  /** Signs an id_token (OpenID Connect Core 2): these claims, and `iss`. */
  signIdToken(tenant: Tenant, claims: Record<string, unknown>): Promise<string>

  /** Signs a logout token (OpenID Connect Back-Channel Logout 2.4): these claims, and `iss`. */
  signLogoutToken(tenant: Tenant, claims: Record<string, unknown>): Promise<string>

  /** What an id_token of this tenant's says, expired or not: a hint, which opens nothing; undefined for anything else. */
  readIdToken(tenant: Tenant, token: string): Promise<IdTokenFacts | undefined>

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
  findMember(tenantId: string, memberId: string): Promise<MemberProfile | undefined>

  /** The member of a mail address. */
  findMemberByEmail(tenantId: string, email: string): Promise<Member | undefined>

  /** The member's live sessions, the one seen last first. */
  listSessions(tenantId: string, memberId: string, now: Date): Promise<MemberSession[]>

  /** Ends a session of a member, and every token that rides it, at once. False when the member has no such live
   *  session. */
  endSession(tenantId: string, session: { memberId: string; sessionId: string; now: Date }): Promise<boolean>

  /** Ends the sessions that a client got by a member's sign-in on a browser. */
  endClientSessions(
    tenantId: string,
    sessions: { memberId: string; clientId: string; sessionId: string; now: Date },
  ): Promise<void>

  /** Ends any member's session for the tenant's staff, with an entry in the audit trail. False when there is no such
   *  live session. */
  endSessionAsStaff(
    tenantId: string,
    session: { sessionId: string; actor: Actor; address: string; now: Date },
  ): Promise<boolean>

  /** Revokes one token (RFC 7009), and ends its session if that is an integration's: a device's goes on. */
  revokeToken(tenantId: string, token: { tokenId: string; now: Date }): Promise<void>

  /** Notes where a session was used, at most once in five minutes. Not for the probe, which changes nothing. */
  noteSeen(tenantId: string, use: { sessionId: string; address: string; now: Date }): Promise<void>

  /** The tenant's public keys, as JWKS has them (RFC 7517 5). */
  publicKeys(tenantId: string): Promise<JWK[]>

  /** Lets go of the database. */
  close(): Promise<void>
}

export interface MembersOptions {
  /** For what is written. */
  db: Database
  databaseUrl: string
  /** A direct URL, not one of a pooler, to be told of changes on. */
  directUrl: string
  secrets: Secrets
  /** The platform's address. */
  publicUrl: URL
  cookieName: string
  /** Whether a client exists and is enabled: of one that is not, tokens are refused. */
  isClientEnabled(tenantId: string, clientId: string): Promise<boolean>
  /** Called in the transaction that ends a session, where clients have an id_token of it. */
  onEnd?: (trx: DatabaseTransaction, tenantId: string, ended: EndedSession) => Promise<void>
  /** Unix milliseconds. */
  nowMs?: () => number
  /** Called when the connection that tells of changes is lost; until it is back, an end shows late. */
  onLost?: (error: Error) => void
}

// Requests wait for these look-ups, so one that hangs is soon over.
const lookupTimeoutMs = 2_000

/** Starts to verify tokens and to keep keys, with connections of its own for look-ups. Needs no database to start. */
export function openMembers(options: MembersOptions): Members {
  const { db, databaseUrl, directUrl, secrets, publicUrl, cookieName, nowMs = Date.now, onLost } = options
  const lookups = openDatabase({
    url: databaseUrl,
    maxConnections: 2,
    connectTimeoutMs: lookupTimeoutMs,
    statementTimeoutMs: lookupTimeoutMs,
    applicationName: 'usher members',
  })
  const reachability: Reachability = { awayUntil: 0 }
  const keyRings = openKeyRings({ db, lookupDb: lookups.db, secrets, reachability, nowMs })
  const verifier = createTokenVerifier({
    db: lookups.db,
    keyRings,
    publicUrl,
    isClientEnabled: options.isClientEnabled,
    reachability,
    nowMs,
  })
  const signing = { keyRings, publicUrl }
  const ending = { db, noteEnd: verifier.noteEnd, onEnd: options.onEnd ?? (async () => {}) }
  const listener = listen({
    url: directUrl,
    channel: 'usher_members',
    onNotice(payload) {
      if (payload !== undefined && payload !== 'keys') return verifier.noteEnd(payload)
      keyRings.invalidate()
      if (payload === undefined) verifier.invalidate()
    },
    ...(onLost && { onLost }),
  })

  return {
    findOrCreateMember,
    suggestName,
    renameMember: (tenantId, chosen) => renameMember(db, tenantId, chosen),
    startDeviceSession: (trx, session) => startDeviceSession(trx, signing, session),
    findBrowserSession: browser => findBrowserSession({ verifier, cookieName }, browser),
    sessionCookieValues: cookieHeader => cookieValues(cookieHeader, cookieName),
    sessionCookies: ({ cookieDomain, domain: host }, token) =>
      sessionCookies(
        { name: cookieName, cookieDomain, host, secure: publicUrl.protocol === 'https:' },
        token,
      ),
    signAccessToken: (tenant, content) => signAccessToken(signing, tenant, content),
    signIdToken: (tenant, claims) => signIdToken(signing, tenant, claims),
    signLogoutToken: (tenant, claims) => signLogoutToken(signing, tenant, claims),
    readIdToken: (tenant, token) => readIdToken(signing, tenant, token),
    verifyMemberToken: async asked => (await verifier.verify(asked))?.token,
    findMember: (tenantId, memberId) => findMemberById(db, tenantId, memberId),
    findMemberByEmail: (tenantId, email) => findMemberByEmail(db, tenantId, email.toLowerCase()),
    listSessions: (tenantId, memberId, now) => listLiveSessions(db, tenantId, memberId, now),
    endSession: (tenantId, session) => endSession(ending, tenantId, session),
    endClientSessions: (tenantId, sessions) => endClientSessions(ending, tenantId, sessions),
    endSessionAsStaff: (tenantId, session) => endSessionAsStaff(ending, tenantId, session),
    revokeToken: (tenantId, token) => revokeToken(ending, tenantId, token),
    noteSeen: seenNotes(db),
    publicKeys: keyRings.publicKeys,
    async close() {
      await listener.close()
      await lookups.close()
    },
  }
}
