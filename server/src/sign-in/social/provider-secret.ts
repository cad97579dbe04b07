import type { Secrets } from '../../foundation/secrets/index.ts'

const purpose = (tenantId: string, providerId: string): string =>
  `secret of the provider ${providerId} of ${tenantId}`

/** Seals a client's secret, or Apple's private key, for the one provider that it is of. */
export const sealSecret = (secrets: Secrets, tenantId: string, providerId: string, secret: string): Buffer =>
  secrets.seal(purpose(tenantId, providerId), Buffer.from(secret))

/** Throws when the key that sealed it is gone. */
export const openSecret = (
  secrets: Secrets,
  tenantId: string,
  provider: { id: string; sealedSecret: Buffer },
): string => secrets.open(purpose(tenantId, provider.id), provider.sealedSecret).toString()
