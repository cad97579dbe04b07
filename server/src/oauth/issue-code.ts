import type { Database } from '../foundation/database/index.ts'
import { type Tenant, tenantOrigin } from '../tenancy/index.ts'
import { type CodeOrigin, codeLifetimeS, hashCode, makeCode } from './authorization-code.ts'
import { insertCode } from './authorization-codes.store.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { responseAddress } from './response-address.ts'

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

/** Makes IssueCode for a platform. */
export const codeIssuer =
  (publicUrl: URL): IssueCode =>
  async (trx, request) => {
    const { tenant, origin, now, state } = request
    const code = makeCode()
    const stored = await insertCode(trx, tenant.id, {
      codeHash: hashCode(code),
      clientId: request.clientId,
      redirectUri: request.redirectUri,
      codeChallenge: request.codeChallenge,
      memberId: request.memberId,
      sessionId: request.sessionId,
      origin,
      scope: request.scope,
      nonce: request.nonce,
      issuedAt: now,
      expiresAt: new Date(now.getTime() + codeLifetimeS[origin] * 1_000),
    })
    if (!stored) return undefined
    return responseAddress(request.redirectUri, {
      code,
      state,
      iss: tenantOrigin(publicUrl, tenant.domain),
    })
  }
