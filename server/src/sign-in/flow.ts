/** What the client asked for, kept unchanged on the way through the mail. */
export interface FlowRequest {
  clientId: string
  redirectUri: string
  state: string | null
  codeChallenge: string | null
  scope: string | null
  nonce: string | null
  maxAgeS: number | null
  uiLocales: string | null
  memberHint: string | null
}

/** A sign-in that a browser is in the middle of. */
export interface Flow {
  id: string
  /** SHA-256 of the cookie that binds it to its browser. */
  browserHash: Buffer
  /** Null where a member signs in for the tenant's own pages. */
  request: FlowRequest | null
  prompt: 'login' | 'select_account' | null
  createdAt: Date
  expiresAt: Date
  /** When the browser was sent on. */
  finishedAt: Date | null
}

/** Long enough for a mail that comes late. */
export const flowLifetimeMs = 3_600_000
/** For how long a flow that is over can still be begun anew. */
export const flowKeptMs = 86_400_000

/** Addresses of a flow's pages, below the tenant's domain. */
export const flowPaths = (flowId: string) => ({
  start: `/sign-in/${flowId}`,
  continue: `/sign-in/${flowId}/continue`,
  mail: `/sign-in/${flowId}/mail`,
  code: `/sign-in/${flowId}/code`,
  social: `/sign-in/${flowId}/social`,
  again: `/sign-in/${flowId}/again`,
})
