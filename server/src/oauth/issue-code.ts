import type { Database } from '../foundation/database/index.ts'
import { type Tenant, tenantOrigin } from '../tenancy/index.ts'
import { type CodeOrigin, codeLifetimeS, hashCode, makeCode } from './authorization-code.ts'
import { insertCodes, type StoreCode } from './authorization-codes.store.ts'
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
 *  error page is due. Give it the transaction in which the member acted; null where no member did. */
export type IssueCode = (trx: Database | null, request: CodeRequest) => Promise<string | undefined>

/** Makes IssueCode for a platform; `storeCode` stores outside of a transaction. */
export const codeIssuer =
  (publicUrl: URL, storeCode: StoreCode): IssueCode =>
  async (trx, request) => {
    const { tenant, origin, now, state } = request
    const code = makeCode()
    const issued = {
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
    }
    const [isStored] = trx
      ? await insertCodes(trx, [{ ...issued, tenantId: tenant.id }])
      : [await storeCode(tenant.id, issued)]
    if (!isStored) return undefined
    return responseAddress(request.redirectUri, {
      code,
      state,
      iss: tenantOrigin(publicUrl, tenant.domain),
    })
  }
