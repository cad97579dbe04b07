import type { Database } from '../foundation/database/index.ts'
import { type Tenant, tenantOrigin } from '../tenancy/index.ts'
import { type CodeOrigin, codeLifetimeS, hashCode, makeCode } from './authorization-code.ts'
import { insertCodes, type StoreCode } from './authorization-codes.store.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { responseAddress } from './response-address.ts'

export interface CodeRequest extends Omit<AuthorizationRequest, 'maxAgeS' | 'uiLocales'> {
  tenant: Tenant
  memberId: string
  /** The device session of the browser that asked. */
  sessionId: string
  origin: CodeOrigin
  now: Date
}

/** Issues a code and answers the address to send the browser to, with `code`, `state` if it was sent, and `iss`
 *  (RFC 6749 4.1.2, RFC 9207); with an error where the client expects another member (OpenID Connect Core 3.1.2.1). Undefined when the client was disabled, or lost the redirect URI, meanwhile: then an
 *  error page is due. Give it the transaction in which the member acted; null where no member did. */
export type IssueCode = (trx: Database | null, request: CodeRequest) => Promise<string | undefined>

/** Makes IssueCode for a platform; `storeCode` stores outside of a transaction. */
export const codeIssuer =
  (publicUrl: URL, storeCode: StoreCode): IssueCode =>
  async (trx, request) => {
    const { tenant, origin, now, state, redirectUri, memberHint } = request
    const iss = tenantOrigin(publicUrl, tenant.domain)
    if (memberHint !== null && memberHint !== request.memberId)
      return responseAddress(redirectUri, {
        error: 'login_required',
        error_description: 'Another member is signed in than id_token_hint names.',
        state,
        iss,
      })
    const code = makeCode()
    const issued = {
      codeHash: hashCode(code),
      clientId: request.clientId,
      redirectUri,
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
    return responseAddress(redirectUri, { code, state, iss })
  }
