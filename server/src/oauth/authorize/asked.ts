import type { OAuthErrorCode } from '@usher/contract'
import type { OAuthClient } from '../client.ts'

/** What a browser brought to the authorization endpoint, from a client and for a redirect URI that are known. */
export interface Asked {
  client: OAuthClient
  query: URLSearchParams
}

/** A fault of the request, that its client is told by redirect (RFC 6749 4.1.2.1). */
export interface Fault {
  error: OAuthErrorCode
  /** For the client's developer. */
  description: string
}

export type Check = (asked: Asked) => Fault | undefined

export const invalidRequest = (description: string): Fault => ({ error: 'invalid_request', description })

/** The value of a parameter; undefined when it was not sent, or sent without a value, which is the same (RFC 6749 3.1). */
export const sentValue = (query: URLSearchParams, name: string): string | undefined =>
  query.get(name) || undefined
