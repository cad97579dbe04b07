import type { OAuthErrorCode } from '@usher/contract'

/** A refusal of an OAuth endpoint that a client's server calls: `{error, error_description}` (RFC 6749 5.2). The
 *  description is for the client's developer, in the characters that the RFC allows there. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode
  readonly status: 400 | 401 | 403
  readonly headers: Record<string, string>

  constructor(
    code: OAuthErrorCode,
    description: string,
    options: { status?: 400 | 401 | 403; headers?: Record<string, string> } = {},
  ) {
    super(description)
    this.name = 'OAuthError'
    this.code = code
    this.status = options.status ?? 400
    this.headers = options.headers ?? {}
  }
}
