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

/** Addresses of a flow's pages, below the tenant's domain. */
export const flowPaths = (flowId: string) => ({
  start: `/sign-in/${flowId}`,
  continue: `/sign-in/${flowId}/continue`,
  mail: `/sign-in/${flowId}/mail`,
  code: `/sign-in/${flowId}/code`,
  social: `/sign-in/${flowId}/social`,
})

/** Where the flow's sign-in can be begun anew, with all that was asked for. */
export function restartPath({ request, prompt }: Flow): string {
  if (request === null) return '/account'
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    ...(request.state !== null && { state: request.state }),
    ...(request.codeChallenge !== null && {
      code_challenge: request.codeChallenge,
      code_challenge_method: 'S256',
    }),
    ...(request.scope !== null && { scope: request.scope }),
    ...(request.nonce !== null && { nonce: request.nonce }),
    ...(request.maxAgeS !== null && { max_age: String(request.maxAgeS) }),
    ...(request.uiLocales !== null && { ui_locales: request.uiLocales }),
    ...(prompt !== null && { prompt }),
  })
  return `/oauth/authorize?${query}`
}
