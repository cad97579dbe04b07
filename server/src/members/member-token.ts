/** `device` is what a browser's cookie holds, `access` what a client gets. Neither is taken in the other's place. */
export type TokenKind = 'device' | 'access'

/** A token that was verified: its signature, its claims, its row, its session and its client. */
export interface VerifiedToken {
  kind: TokenKind
  memberId: string
  /** `sid` */
  sessionId: string
  /** `jti` */
  tokenId: string
  /** `azp`, of an access token. */
  clientId: string | undefined
  issuedAt: Date
  expiresAt: Date
  /** All claims, as they were signed. */
  claims: Readonly<Record<string, unknown>>
}

/** What an access token says (decisions, "OAuth"; RFC 9068). */
export interface AccessTokenContent {
  memberId: string
  sessionId: string
  tokenId: string
  clientId: string
  scope?: string | null
  /** Both are cut to whole seconds. */
  issuedAt: Date
  expiresAt: Date
}
