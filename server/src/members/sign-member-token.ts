import { type Tenant, tenantOrigin } from '../tenancy/index.ts'
import type { AccessTokenContent } from './member-token.ts'
import type { KeyRings } from './signing-keys/open-key-rings.ts'

export interface SigningParts {
  keyRings: KeyRings
  /** The platform's address, which gives the issuer its scheme and port. */
  publicUrl: URL
}

/** The header `typ` of each kind of token; RFC 9068 2.1 for access tokens. */
export const typOf = { device: 'device+jwt', access: 'at+jwt' } as const

/** The header `typ` of an id_token; with it none passes for one of the others. */
export const idTokenTyp = 'JWT'

const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000)

interface RowFacts {
  memberId: string
  sessionId: string
  tokenId: string
  issuedAt: Date
  expiresAt: Date
}

const commonClaims = (iss: string, { memberId, sessionId, tokenId, issuedAt, expiresAt }: RowFacts) => ({
  iss,
  sub: memberId,
  sid: sessionId,
  jti: tokenId,
  iat: seconds(issuedAt),
  exp: seconds(expiresAt),
})

/** Signs what a browser's cookie holds: without `azp`, for the tenant itself (decisions, "OAuth"). */
export function signDeviceToken(
  { keyRings, publicUrl }: SigningParts,
  { tenant, ...facts }: { tenant: Tenant } & RowFacts,
): Promise<string> {
  const iss = tenantOrigin(publicUrl, tenant.domain)
  return keyRings.signJwt(tenant.id, typOf.device, { ...commonClaims(iss, facts), aud: iss })
}

/** Signs what a client gets (RFC 9068 2.2). */
export function signAccessToken(
  { keyRings, publicUrl }: SigningParts,
  tenant: Tenant,
  { clientId, scope, ...facts }: AccessTokenContent,
): Promise<string> {
  const iss = tenantOrigin(publicUrl, tenant.domain)
  return keyRings.signJwt(tenant.id, typOf.access, {
    ...commonClaims(iss, facts),
    aud: [iss, clientId],
    azp: clientId,
    client_id: clientId,
    ...(scope && { scope }),
  })
}

/** Signs a logout token (OpenID Connect Back-Channel Logout 2.4): the caller's claims, and who issues it. */
export function signLogoutToken(
  { keyRings, publicUrl }: SigningParts,
  tenant: Tenant,
  claims: Record<string, unknown>,
): Promise<string> {
  return keyRings.signJwt(tenant.id, 'logout+jwt', { iss: tenantOrigin(publicUrl, tenant.domain), ...claims })
}

/** Signs an id_token (OpenID Connect Core 2): the caller's claims, and who issues it. */
export function signIdToken(
  { keyRings, publicUrl }: SigningParts,
  tenant: Tenant,
  claims: Record<string, unknown>,
): Promise<string> {
  return keyRings.signJwt(tenant.id, idTokenTyp, { iss: tenantOrigin(publicUrl, tenant.domain), ...claims })
}
