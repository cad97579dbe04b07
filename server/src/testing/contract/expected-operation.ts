import { expect } from 'vitest'
import type { Ability, RouteSite } from '../../tenancy/index.ts'

/** What the contract tests expect of one operation. */
export interface ExpectedOperation {
  /** Where it is served (decisions, "Addresses"). */
  site: RouteSite
  /** Whose key opens it. */
  key: 'none' | 'organization' | 'platform'
  /** A member's token opens it, with `openid` one of a client's with that scope: `send` signs somebody in at the host's
   *  tenant, unless it is told a credential. */
  member?: boolean | 'openid'
  /** What that key must be able to do. */
  ability?: Ability
  /** Whether the key's user must be an administrator: to view the tenant is not enough. */
  administrator?: boolean
  /** A request that succeeds: the parts of its path, its query, and its body with headers of its own. */
  params?: Record<string, string>
  query?: string
  payload?: Record<string, unknown>
  /** A body that is a form, with the credentials of a client in it. */
  form?: Record<string, string>
  headers?: Record<string, string>
  /** The answer to that request, to the last header but those that every answer has. */
  status: number
  answerHeaders: Record<string, unknown>
  /** Headers that its refusals have too. */
  refusalHeaders?: Record<string, string>
  /** What refuses bad input, where that is not a message. */
  inputRefusal?: { status: number; body: object }
  /** Why the OpenAPI document does not show it. */
  undocumented?: string
}

// Headers of many answers.
export const length = expect.stringMatching(/^\d+$/)
export const etag = expect.stringMatching(/^"[\w-]{22}"$/)
export const json = { 'content-type': 'application/json', 'content-length': length }
export const unstored = { 'cache-control': 'no-store' }
export const cached = { 'cache-control': 'public, max-age=300', etag }
export const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, X-Request-Id',
}
export const resource = { ...json, 'content-type': 'application/vnd.api+json' }

/** What opens a route that changes settings. */
export const changing = { ability: 'admin:write', administrator: true } as const
