import type { Database } from '../foundation/database/index.ts'
import type { Tenant } from '../tenancy/index.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

/** Where a code comes from, which says how long it lives and what its token rides (interface 8 and 2.6). */
export type CodeOrigin = 'interactive' | 'probe' | 'prompt_none'

export interface CodeRequest extends AuthorizationRequest {
  tenant: Tenant
  memberId: string
  /** The device session of the browser that asked. */
  sessionId: string
  origin: CodeOrigin
  now: Date
}

/** Issues a code and answers the address to send the browser to, with `code`, `state` if it was sent, and `iss`
 *  (RFC 6749 4.1.2, RFC 9207). Undefined when the client was disabled, or lost the redirect URI, meanwhile: then an
 *  error page is due. Give it the transaction in which the member acted. */
export type IssueCode = (trx: Database, request: CodeRequest) => Promise<string | undefined>
