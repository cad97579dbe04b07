import { unauthorized } from '../foundation/http/index.ts'
import type { Tenant } from '../tenancy/index.ts'
import type { VerifiedToken } from './member-token.ts'
import type { Members } from './open-members.ts'

/** The good token of an Authorization header. Throws 401 for anything else: no token, an API key, one that is
 *  revoked, expired or another tenant's (RFC 6750 3). */
export async function authenticateMember(
  members: Pick<Members, 'verifyMemberToken'>,
  tenant: Tenant,
  authorization: string | undefined,
): Promise<VerifiedToken> {
  const token = /^bearer +([\w.-]{1,4096})$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) throw unauthorized('Send a member\'s token as "Authorization: Bearer <token>".')
  const verified = await members.verifyMemberToken({ tenant, token, kinds: ['device', 'access'] })
  if (!verified)
    throw unauthorized(
      'This token is expired, revoked, or not one of this tenant. Let the member sign in again.',
    )
  return verified
}
