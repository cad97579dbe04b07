import type { Members } from '../members/index.ts'
import type { Tenant } from '../tenancy/index.ts'
import { authenticateClient } from './authenticate-client.ts'
import type { ClientCache } from './client-cache.ts'
import { formValue } from './form.ts'
import { OAuthError } from './oauth-error.ts'

interface TokenParts {
  clients: ClientCache
  members: Pick<Members, 'verifyMemberToken' | 'revokeToken'>
  nowMs(): number
}

/** Revokes an access token of the client's own (RFC 7009 2): it is refused from then on, and a session that was made for
 *  it ends; that of a browser goes on. A token that is unknown, or another's, is no error (2.2). Throws an OAuthError. */
export async function revokeToken(
  { clients, members, nowMs }: TokenParts,
  {
    tenant,
    authorization,
    form,
  }: { tenant: Tenant; authorization: string | undefined; form: URLSearchParams },
): Promise<void> {
  const { client } = await authenticateClient(clients, tenant.id, { authorization, form })
  const token = formValue(form, 'token')
  if (token === undefined) throw new OAuthError('invalid_request', 'token is missing.')
  const verified = await members.verifyMemberToken({ tenant, token, kinds: ['access'] })
  if (verified?.clientId !== client.clientId) return
  await members.revokeToken(tenant.id, { tokenId: verified.tokenId, now: new Date(nowMs()) })
}
