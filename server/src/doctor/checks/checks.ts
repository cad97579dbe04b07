import type { Check } from './check.ts'
import { checkClient } from './check-client.ts'
import { checkCookieDomain } from './check-cookie-domain.ts'
import { checkHost } from './check-host.ts'
import { checkOrigin } from './check-origin.ts'
import { checkPkce } from './check-pkce.ts'
import { checkSameSite } from './check-same-site.ts'
import { checkSite } from './check-site.ts'
import { checkTenant } from './check-tenant.ts'
import { checkTls } from './check-tls.ts'

/** What silent sign-in needs (interface 4.8, 4.9 and 5), in the order in which it is told. All of them are asked. */
export const checks: readonly Check[] = [
  checkTenant,
  checkClient,
  checkSite,
  checkHost,
  checkTls,
  checkSameSite,
  checkCookieDomain,
  checkOrigin,
  checkPkce,
]
