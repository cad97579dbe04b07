import { compactVerify, decodeProtectedHeader, errors } from 'jose'
import { type Tenant, tenantOrigin } from '../tenancy/index.ts'
import { idTokenTyp, type SigningParts } from './sign-member-token.ts'

/** Far longer than any token of ours. */
const maxTokenLength = 4_096

/** What an id_token tells of who signed in, where and for whom. */
export interface IdTokenFacts {
  memberId: string
  /** The device session. */
  sessionId: string
  clientId: string
}

/** Reads an id_token that comes back as a hint: one that this tenant signed, for a client of its own, expired or not
 *  (OpenID Connect RP-Initiated Logout 2). It shows whom the client means, and opens nothing. */
export async function readIdToken(
  { keyRings, publicUrl }: SigningParts,
  tenant: Tenant,
  token: string,
): Promise<IdTokenFacts | undefined> {
  if (token.length > maxTokenLength) return undefined
  try {
    const { typ, kid } = decodeProtectedHeader(token)
    const key = typ === idTokenTyp && kid ? await keyRings.findPublicKey(tenant.id, kid) : undefined
    if (!key) return undefined
    const { payload } = await compactVerify(token, key, { algorithms: ['RS256'] })
    const { iss, sub, aud, sid } = JSON.parse(Buffer.from(payload).toString()) as Record<string, unknown>
    if (iss !== tenantOrigin(publicUrl, tenant.domain)) return undefined
    return { memberId: String(sub), sessionId: String(sid), clientId: String(aud) }
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}
