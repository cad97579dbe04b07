import type { UserInfoResponse } from '@usher/contract'
import type { Members } from '../../members/index.ts'
import type { Tenant } from '../../tenancy/index.ts'
import { formValue } from '../form.ts'
import { OAuthError } from '../oauth-error.ts'
import { memberClaims } from './member-claims.ts'
import { readScopes } from './scopes.ts'

/** A refusal with the challenge that goes with it (RFC 6750 3). Codes are told of credentials that were sent alone. */
function refuse(
  code: 'invalid_request' | 'invalid_token' | 'insufficient_scope',
  description: string,
  isChallenge = false,
): OAuthError {
  const status = { invalid_request: 400, invalid_token: 401, insufficient_scope: 403 } as const
  const scope = code === 'insufficient_scope' ? ', scope="openid"' : ''
  const told = isChallenge ? '' : ` error="${code}", error_description="${description}"${scope}`
  return new OAuthError(code, description, {
    status: status[code],
    headers: { 'www-authenticate': `Bearer${told}` },
  })
}

/** The token of a request: in its Authorization header, or in its form (RFC 6750 2.1 and 2.2). */
function tokenOf(authorization: string | undefined, form: URLSearchParams): string {
  const [, inHeader] = /^bearer +(.*)$/i.exec(authorization ?? '') ?? []
  const inForm = formValue(form, 'access_token')
  if (inHeader !== undefined && inForm !== undefined)
    throw refuse('invalid_request', 'Send the access token in the header or in the form, not both.')
  const token = inHeader ?? inForm
  if (token === undefined)
    throw refuse('invalid_token', 'Send the access token as Authorization: Bearer.', true)
  return token
}

/** Says who the member of an access token is, as far as its scope goes (OpenID Connect Core 5.3). Throws an OAuthError: 401
 *  for a token that is not good, or is no client's; 403 for one without `openid`. */
export async function readUserInfo(
  { members, nowMs }: { members: Members; nowMs(): number },
  request: {
    tenant: Tenant
    authorization: string | undefined
    form: URLSearchParams
    /** The network address, "" when the socket is gone. */
    address: string
  },
): Promise<UserInfoResponse> {
  const { tenant, address } = request
  const token = tokenOf(request.authorization, request.form)
  const verified = await members.verifyMemberToken({ tenant, token, kinds: ['access'] })
  const member = verified && (await members.findMember(tenant.id, verified.memberId))
  if (!member)
    throw refuse(
      'invalid_token',
      'The access token is expired, revoked, or not one of this tenant. Let the member sign in again.',
    )
  const scopes = readScopes(verified.claims.scope)
  if (!scopes.has('openid'))
    throw refuse('insufficient_scope', 'The access token was issued without the scope openid.')
  await members.noteSeen(tenant.id, { sessionId: verified.sessionId, address, now: new Date(nowMs()) })
  const updatedAtS = Math.floor(member.updatedAt.getTime() / 1_000)
  return { sub: member.id, ...memberClaims(scopes, { ...member, updatedAtS }) }
}
