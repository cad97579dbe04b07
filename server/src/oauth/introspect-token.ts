import type { IntrospectionResponse } from '@usher/contract'
import type { Members } from '../members/index.ts'
import type { Tenant } from '../tenancy/index.ts'
import { authenticateClient } from './authenticate-client.ts'
import type { ClientCache } from './client-cache.ts'
import { formValue } from './form.ts'
import { OAuthError } from './oauth-error.ts'

/** Says whether an access token is good now, and what it says (RFC 7662 2), to any client of the tenant that the token
 *  is of: one may call another with a member's token. A browser's device token is `active: false` like anything
 *  else that is none. Throws an OAuthError. */
export async function introspectToken(
  { clients, members }: { clients: ClientCache; members: Pick<Members, 'verifyMemberToken'> },
  {
    tenant,
    authorization,
    form,
  }: { tenant: Tenant; authorization: string | undefined; form: URLSearchParams },
): Promise<IntrospectionResponse> {
  await authenticateClient(clients, tenant.id, { authorization, form })
  const token = formValue(form, 'token')
  if (token === undefined) throw new OAuthError('invalid_request', 'token is missing.')
  const verified = await members.verifyMemberToken({ tenant, token, kinds: ['access'] })
  if (!verified) return { active: false }
  const { iss, sub, aud, azp, client_id, sid, jti, iat, exp, scope } = verified.claims as Omit<
    Extract<IntrospectionResponse, { active: true }>,
    'active' | 'token_type'
  >
  const said = { iss, sub, aud, azp, client_id, sid, jti, iat, exp, ...(scope !== undefined && { scope }) }
  return { active: true, token_type: 'Bearer', ...said }
}
