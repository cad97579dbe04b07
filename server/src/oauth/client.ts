/** What an administrator can change of a client (interface 2.5). */
export interface ClientSettings {
  name: string
  /** Exact URLs, in the order of registration: a probe's code is stamped with the first. */
  redirectUris: readonly string[]
  /** Origins that the session probe answers; matched byte for byte. */
  allowedOrigins: readonly string[]
  /** Exact URLs that a browser may be sent to once it was signed out. */
  postLogoutRedirectUris: readonly string[]
  /** Where the client is told that a session has ended; null: it is not. */
  backchannelLogoutUri: string | null
  pkceRequired: boolean
  enabled: boolean
}

/** An application that may sign a tenant's members in (interface 2.5). */
export interface OAuthClient extends ClientSettings {
  /** Public, given at creation, never changed. */
  clientId: string
  /** SHA-256 of the secret, which itself is not kept. */
  secretHash: Buffer
  createdAt: Date
  updatedAt: Date
  secretChangedAt: Date
}

export const defaultClientSettings = {
  allowedOrigins: [],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
  pkceRequired: false,
  enabled: true,
} as const
