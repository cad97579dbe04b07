import { tenantOrigin } from '../../tenancy/index.ts'

/** Where a provider sends browsers back to, below the tenant's domain; one for each provider, so that an answer of one
 *  is not taken for another's (RFC 9700 4.4.2.2). */
const callbackPath = (providerId: string): string => `/sign-in/social/${providerId}/callback`

/** The same as the provider has it registered. */
export const redirectUriOf = (publicUrl: URL, domain: string, providerId: string): string =>
  tenantOrigin(publicUrl, domain) + callbackPath(providerId)

/** Where a page of ours posts on what came in a form from elsewhere. */
export const returnPath = (providerId: string): string => `/sign-in/social/${providerId}/return`
