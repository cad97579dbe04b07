import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'

/** Far below the six months that Apple allows: it is made for each request. */
const LIFETIME_S = 300

/** Whose key it is, and for what. */
export interface AppleKey {
  teamId: string
  keyId: string
  /** The .p8 file: PKCS #8 in PEM. */
  privateKey: string
  clientId: string
  /** Apple's issuer. */
  audience: string
}

/** Whether a text is a private key of the kind that Apple gives out: P-256. */
export function isAppleKey(text: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(text)
    return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}

/** Makes the client secret that Apple wants: a JWT, signed with the key of the team ("Creating a client secret"). */
export function makeAppleSecret(
  { teamId, keyId, privateKey, clientId, audience }: AppleKey,
  now: Date,
): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1_000)
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: keyId })
    .setIssuer(teamId)
    .setSubject(clientId)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFETIME_S)
    .sign(createPrivateKey(privateKey))
}
