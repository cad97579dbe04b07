import type { SilentSignInCheck, SilentSignInWay } from '@usher/contract'
import type { Database } from '../foundation/database/index.ts'
import { listClients } from '../oauth/index.ts'
import { listHostnames, type Tenant, tenantOrigin } from '../tenancy/index.ts'
import type { AskedHost, SiteAddress } from './addresses.ts'
import type { Examined, Finding } from './checks/check.ts'
import { checks } from './checks/checks.ts'

/** What silent sign-in is to be examined for. */
export interface AskedSignIn {
  clientId: string
  site: SiteAddress
  /** Where the site asks, if that was told. */
  host: AskedHost | undefined
}

export interface CheckResult {
  name: SilentSignInCheck
  /** What is right; null where findings say what is not. */
  good: string | null
  findings: readonly Finding[]
}

/** What silent sign-in needs on a site, and what of it is missing. */
export interface Report extends Pick<Examined, 'tenant' | 'tenantOrigin' | 'clientId' | 'site'> {
  isClientKnown: boolean
  /** Where prompt=none can come back to. */
  redirectUris: readonly string[]
  checks: readonly CheckResult[]
  /** Whether the probe can work. */
  works: boolean
  /** Whether prompt=none can, as a navigation of the whole window. */
  promptNoneWorks: boolean
}

/** Runs every check on what is known. Asks nobody. */
export function examine(examined: Examined): Report {
  const results = checks.flatMap(({ name, examine: look }): CheckResult[] => {
    const result = look(examined)
    if (!result) return []
    const { good, findings } = result
    return [{ name, good: findings.length > 0 ? null : good, findings }]
  })
  const isFree = (way: SilentSignInWay) =>
    !results.some(({ findings }) =>
      findings.some(({ severity, affects }) => severity === 'blocks' && affects.includes(way)),
    )
  const { tenant, tenantOrigin, clientId, client, site } = examined
  return {
    tenant,
    tenantOrigin,
    clientId,
    site,
    isClientKnown: client !== undefined,
    redirectUris: client?.redirectUris ?? [],
    checks: results,
    works: isFree('probe'),
    promptNoneWorks: isFree('prompt_none'),
  }
}

/** Whether silent sign-in can work on a site, and if not, everything that is wrong and what to change (interface 4.8,
 *  4.9 and 5). Looks at the clients as the database has them now, and changes nothing. */
export async function examineSilentSignIn(
  { db, publicUrl }: { db: Database; publicUrl: URL },
  tenant: Tenant,
  asked: AskedSignIn,
): Promise<Report> {
  const [hostnames, clients] = await Promise.all([listHostnames(db, tenant.id), listClients(db, tenant.id)])
  const aliases = hostnames.flatMap(({ host, canonical }) => (canonical ? [] : [host]))
  return examine({
    ...asked,
    tenant,
    tenantOrigin: tenantOrigin(publicUrl, tenant.domain),
    aliases: [...aliases, `${tenant.slug}.${publicUrl.hostname}`],
    client: clients.find(({ clientId }) => clientId === asked.clientId),
    clients,
  })
}
