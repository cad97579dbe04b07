/** A key of a tenant's as it is stored. It is published from when it was made until `publishedUntil`, and signs from
 *  `signsFrom` until `signsUntil`. */
export interface StoredSigningKey {
  /** The thumbprint of the public key (RFC 7638). */
  kid: string
  /** As JWKS has it. */
  publicJwk: Record<string, unknown>
  /** PKCS #8 in DER, sealed for `sealPurpose`. */
  sealedPrivateKey: Buffer
  createdAt: Date
  signsFrom: Date
  /** When the next key takes over; null until that one is made. */
  signsUntil: Date | null
  /** When the last token that it signed has expired; null until it signs no more. */
  publishedUntil: Date | null
}

/** What a private key is sealed for: put into the row of another tenant or key, it does not open. */
export const sealPurpose = (tenantId: string, kid: string): string => `signing key ${tenantId} ${kid}`

/** The key that signs at a time; undefined when the tenant has none. */
export function signingKeyAt<K extends Pick<StoredSigningKey, 'signsFrom' | 'signsUntil'>>(
  keys: readonly K[],
  now: Date,
): K | undefined {
  return keys
    .filter(({ signsFrom, signsUntil }) => signsFrom <= now && (signsUntil === null || signsUntil > now))
    .toSorted((a, b) => b.signsFrom.getTime() - a.signsFrom.getTime())[0]
}
