import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { outgoingErrorIn } from '../../foundation/outgoing/index.ts'

/** What a provider did instead of saying who somebody is: it refused the person, it refused us, it did not answer, or what
 *  it answered cannot be believed. */
export type FaultKind = 'denied' | 'refused' | 'away' | 'faulty'

/** Thrown when a provider does not say who somebody is. The message is for the log: it says what was wrong, and quotes
 *  nothing that was sent. */
export class ProviderFault extends Error {
  readonly kind: FaultKind

  constructor(kind: FaultKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ProviderFault'
    this.kind = kind
  }
}

/** The member, or somebody on the member's behalf, said no (RFC 6749 4.1.2.1; the second one is Apple's). */
const DENIED = new Set(['access_denied', 'user_cancelled_authorize', 'login_required', 'consent_required'])
/** The client is not known, its secret is wrong, or it may not do this (RFC 6749 4.1.2.1 and 5.2; the last one is GitHub's). */
const REFUSED = new Set(['invalid_client', 'unauthorized_client', 'incorrect_client_credentials'])
/** Whether an error code refuses the client. */
export const refusesClient = (code: string): boolean => REFUSED.has(code)
const AWAY = new Set(['temporarily_unavailable', 'server_error'])

/** Codes are of a few characters; whatever else stands in their place is not repeated. */
export const errorCode = (text: string): string =>
  /^[\w.-]{1,60}$/.test(text) ? text : 'an unreadable error'

/** The status of the answer that an error of the library is about. */
function statusOf(error: ClientError): number | undefined {
  const about: unknown = error.cause
  return about instanceof Response ? about.status : undefined
}

/** What an error of the library means. Throws on what is none of a provider's doing. */
export function toProviderFault(error: unknown): ProviderFault {
  if (error instanceof ProviderFault) return error
  const outgoing = outgoingErrorIn(error)
  if (outgoing)
    return new ProviderFault(
      outgoing.fault === 'away' || outgoing.fault === 'slow' ? 'away' : 'faulty',
      outgoing.message,
    )
  if (error instanceof AuthorizationResponseError) {
    const kind = DENIED.has(error.error)
      ? 'denied'
      : AWAY.has(error.error)
        ? 'away'
        : refusesClient(error.error)
          ? 'refused'
          : 'faulty'
    return new ProviderFault(kind, `It sent the browser back with ${errorCode(error.error)}.`)
  }
  if (error instanceof ResponseBodyError)
    return refusesClient(error.error)
      ? new ProviderFault('refused', `It refused the client with ${errorCode(error.error)}.`)
      : new ProviderFault(
          error.status >= 500 || AWAY.has(error.error) ? 'away' : 'faulty',
          `It refused the code with ${errorCode(error.error)}.`,
        )
  if (error instanceof WWWAuthenticateChallengeError)
    // Of a token the provider says so with Bearer (RFC 6750 3); any other challenge is for the client (RFC 6749 5.2).
    return error.cause.some(({ scheme }) => scheme === 'bearer')
      ? new ProviderFault('faulty', `It refused its own token (${error.status}).`)
      : new ProviderFault('refused', `It refused the client with ${error.status}.`)
  if (error instanceof ClientError) {
    const status = statusOf(error)
    const kind = status !== undefined && status >= 500 ? 'away' : 'faulty'
    const detail = error.cause instanceof Error ? `: ${error.cause.message}` : ''
    return new ProviderFault(kind, `${error.message}${status === undefined ? '' : ` (${status})`}${detail}`)
  }
  // The library throws it for what does not have the form of an answer.
  if (error instanceof TypeError) return new ProviderFault('faulty', error.message)
  throw error
}
