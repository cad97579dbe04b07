/** An application that may sign a tenant's members in (interface 2.5). */
export interface OAuthClient {
  clientId: string
  name: string
  /** SHA-256 of the secret, which itself is not kept. */
  secretHash: Buffer
  /** Exact URLs, in the order of registration: a probe's code is stamped with the first. */
  redirectUris: readonly string[]
  /** Origins that the session probe answers; matched byte for byte. */
  allowedOrigins: readonly string[]
  pkceRequired: boolean
  enabled: boolean
  createdAt: Date
  updatedAt: Date
  secretChangedAt: Date
}
