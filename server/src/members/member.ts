/** A person who signs in to a tenant. */
export interface Member {
  id: string
  /** Lower case; verified, as members sign in by mail. */
  email: string
  name: string | null
  createdAt: Date
}

/** A member, and when their name or address changed last. */
export interface MemberProfile extends Member {
  updatedAt: Date
}

/** Who is signed in on a browser. */
export interface BrowserSession {
  /** The device session. */
  sessionId: string
  member: Member
  /** When the member signed in: `auth_time`. */
  signedInAt: Date
  expiresAt: Date
}

/** `device` is a browser's, `integration` is one that a client's code exchange made. */
export type SessionKind = 'device' | 'integration'

/** A live session, as the member and the staff see it. */
export interface MemberSession {
  id: string
  kind: SessionKind
  /** The client of an integration session. */
  clientId: string | null
  userAgent: string
  /** Where it began, and where it was last seen; null where nobody knew. */
  address: string | null
  lastSeenAddress: string | null
  createdAt: Date
  lastSeenAt: Date
  expiresAt: Date
}
