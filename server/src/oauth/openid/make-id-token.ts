import { hash } from 'node:crypto'
import type { Members } from '../../members/index.ts'
import type { Tenant } from '../../tenancy/index.ts'
import { memberClaims, type ToldMember } from './member-claims.ts'
import { readScopes } from './scopes.ts'

/** How long an id_token tells of a sign-in that has just happened. Sessions begin with it, and live longer. */
const lifetimeS = 3_600

export interface IdTokenContent {
  memberId: string
  clientId: string
  /** The device session in which the member signed in. */
  browserSessionId: string
  /** When the member signed in there. */
  signedInAt: Date
  nonce: string | null
  /** What was granted. */
  scope: string
  /** Null where the scope opens nothing of it. */
  member: ToldMember | null
  /** What comes beside it. */
  accessToken: string
  issuedAt: Date
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000)

/** The left half of a token's hash, which binds it to the id_token (OpenID Connect Core 3.1.3.6). */
const halfHash = (token: string): string =>
  hash('sha256', token, 'buffer').subarray(0, 16).toString('base64url')

/** Makes the id_token of a code exchange (OpenID Connect Core 2 and 3.1.3.3). Who the member is beyond `sub` it says as
 *  userinfo does (5.4), for libraries that read no more than the id_token. `sid` is that of logout tokens (OpenID Connect Back-Channel Logout 2.1). */
export function makeIdToken(
  members: Pick<Members, 'signIdToken'>,
  tenant: Tenant,
  content: IdTokenContent,
): Promise<string> {
  const { memberId, clientId, browserSessionId, signedInAt, nonce, scope, member, accessToken, issuedAt } =
    content
  return members.signIdToken(tenant, {
    sub: memberId,
    aud: clientId,
    azp: clientId,
    exp: seconds(issuedAt) + lifetimeS,
    iat: seconds(issuedAt),
    auth_time: seconds(signedInAt),
    ...(nonce !== null && { nonce }),
    at_hash: halfHash(accessToken),
    sid: browserSessionId,
    ...(member && memberClaims(readScopes(scope), member)),
  })
}
