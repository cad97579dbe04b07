import type { Secrets } from '../foundation/secrets/index.ts'
import { type Tenant, tenantOrigin } from '../tenancy/index.ts'
import { readAskedHost, readSite } from './addresses.ts'
import type { AskedSignIn } from './examine-silent-sign-in.ts'

/** How long a ticket opens the live check, in milliseconds. */
const TICKET_LIFETIME_MS = 3_600_000

// Of one tenant: another's ticket cannot be opened.
const purposeOf = (tenantId: string): string => `live check of ${tenantId}`

interface Sealed {
  client: string
  site: string
  host: string | null
  expiresAtMs: number
}

/** The address of the live check of what was asked, with a ticket that is good for an hour. */
export function liveCheckAddress(
  { secrets, publicUrl, nowMs }: { secrets: Secrets; publicUrl: URL; nowMs: number },
  tenant: Tenant,
  { clientId, site, host }: AskedSignIn,
): string {
  const sealed: Sealed = {
    client: clientId,
    site: site.written,
    host: host?.written ?? null,
    expiresAtMs: nowMs + TICKET_LIFETIME_MS,
  }
  const ticket = secrets.seal(purposeOf(tenant.id), Buffer.from(JSON.stringify(sealed))).toString('base64url')
  return `${tenantOrigin(publicUrl, tenant.domain)}/silent-sign-in/check?ticket=${ticket}`
}

function unseal(secrets: Secrets, tenantId: string, ticket: string): Sealed | undefined {
  try {
    return JSON.parse(secrets.open(purposeOf(tenantId), Buffer.from(ticket, 'base64url')).toString())
  } catch {
    // No ticket at all, another tenant's, or sealed with a key that is gone: worth nothing in each case.
    return undefined
  }
}

/** What a ticket of this tenant's asks for; `expired` after its hour, undefined when it is none. */
export function openTicket(
  { secrets, nowMs }: { secrets: Secrets; nowMs: number },
  tenantId: string,
  ticket: string,
): AskedSignIn | 'expired' | undefined {
  const sealed = unseal(secrets, tenantId, ticket)
  const site = sealed && readSite(sealed.site)
  if (!site) return undefined
  if (sealed.expiresAtMs <= nowMs) return 'expired'
  return {
    clientId: sealed.client,
    site,
    host: sealed.host === null ? undefined : readAskedHost(sealed.host),
  }
}
