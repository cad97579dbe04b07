import { cookieDomainFault } from '../cookie-domain.ts'
import { findCookieDomain, updateCookieDomain } from '../tenants.store.ts'
import type { DeclaredTenant } from './apply-hosts.ts'
import { type Application, recordChange, refuse } from './changes.ts'

/** Gives the tenant the declared Cookie Domain, or with "" none. Refuses a domain that the Cookie Domain, declared or
 *  kept, does not cover: its cookie would not be set. */
export async function applyCookieDomain(
  application: Application,
  { tenant, declared, index }: DeclaredTenant,
): Promise<void> {
  const { trx } = application
  const current = await findCookieDomain(trx, tenant.id)
  const wanted = declared.cookie_domain === undefined ? current : declared.cookie_domain.toLowerCase() || null
  // What is declared was looked at with the rest of the file.
  const domain = declared.domain.toLowerCase()
  if (declared.cookie_domain === undefined && wanted !== null && cookieDomainFault(wanted, domain)) {
    const path = ['tenants', index, 'domain']
    refuse(
      application,
      path,
      `is not covered by the tenant's cookie domain ${wanted}; declare cookie_domain too`,
    )
  }
  if (wanted === current) return
  await updateCookieDomain(trx, tenant.id, wanted)
  await recordChange(application, tenant, {
    action: 'tenant.cookie_domain_changed',
    target: tenant.slug,
    details: { from: current, to: wanted },
    text: wanted === null ? 'cookie domain removed' : `cookie domain ${wanted}`,
  })
}
