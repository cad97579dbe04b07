import { deleteHostname, findHostOwners, insertHostname, listHostnames } from '../hostnames.store.ts'
import { type Application, recordChange, refuse, type TenantName } from './changes.ts'
import type { TenantDeclaration } from './tenant-declaration.ts'

/** A declared tenant and its place in the file. */
export interface DeclaredTenant {
  tenant: TenantName
  declared: TenantDeclaration
  index: number
}

interface HostPlan {
  tenant: TenantName
  /** Hosts to whether they are the canonical domain. */
  current: Map<string, boolean>
  wanted: Map<string, boolean>
}

async function planHosts({ trx }: Application, { tenant, declared }: DeclaredTenant): Promise<HostPlan> {
  const current = new Map(
    (await listHostnames(trx, tenant.id)).map(({ host, canonical }) => [host, canonical]),
  )
  const keptAliases = [...current].filter(([, canonical]) => !canonical).map(([host]) => host)
  const aliases = declared.aliases?.map(host => host.toLowerCase()) ?? keptAliases
  const wanted = new Map(aliases.map(host => [host, false]))
  return { tenant, current, wanted: wanted.set(declared.domain.toLowerCase(), true) }
}

/** Refuses hosts of other tenants, unless this very file takes them from there. */
async function refuseTakenHosts(
  application: Application,
  tenants: readonly DeclaredTenant[],
  plans: readonly HostPlan[],
): Promise<void> {
  const owners = await findHostOwners(
    application.trx,
    plans.flatMap(({ wanted }) => [...wanted.keys()]),
  )
  for (const { tenant, current, wanted } of plans)
    for (const host of current.keys())
      if (!wanted.has(host) && owners.get(host) === tenant.slug) owners.delete(host)
  for (const { declared, index } of tenants) {
    const places = [
      { path: ['tenants', index, 'domain'], host: declared.domain },
      ...(declared.aliases ?? []).map((host, at) => ({ path: ['tenants', index, 'aliases', at], host })),
    ]
    for (const { path, host } of places) {
      const owner = owners.get(host.toLowerCase())
      if (owner !== undefined && owner !== declared.slug)
        refuse(application, path, `belongs to the tenant ${owner}`)
    }
  }
}

async function recordHosts(application: Application, { tenant, current, wanted }: HostPlan): Promise<void> {
  const domainOf = (hosts: HostPlan['current']) => [...hosts].find(([, canonical]) => canonical)?.[0]
  const [from, to] = [domainOf(current), domainOf(wanted)]
  // A new tenant's domain stands in the entry of its creation.
  if (to !== undefined && from !== undefined && from !== to)
    await recordChange(application, tenant, {
      action: 'tenant.domain_changed',
      target: to,
      details: { from, to },
      text: `domain changed from ${from} to ${to}`,
    })
  for (const [host, canonical] of wanted)
    if (!canonical && current.get(host) !== false)
      await recordChange(application, tenant, {
        action: 'tenant.alias_added',
        target: host,
        text: `alias ${host} added`,
      })
  for (const [host, canonical] of current)
    if (!canonical && !wanted.has(host))
      await recordChange(application, tenant, {
        action: 'tenant.alias_removed',
        target: host,
        text: `alias ${host} removed`,
      })
}

/** Gives the declared tenants their domains and aliases. All that goes goes first, so that one file can
 *  move a host from one tenant to another. */
export async function applyHosts(
  application: Application,
  tenants: readonly DeclaredTenant[],
): Promise<void> {
  const plans: HostPlan[] = []
  for (const tenant of tenants) plans.push(await planHosts(application, tenant))
  await refuseTakenHosts(application, tenants, plans)
  if (application.problems.length > 0) return
  const { trx } = application
  for (const { tenant, current, wanted } of plans)
    for (const [host, canonical] of current)
      if (wanted.get(host) !== canonical) await deleteHostname(trx, tenant.id, host)
  for (const { tenant, current, wanted } of plans)
    for (const [host, canonical] of wanted)
      if (current.get(host) !== canonical) await insertHostname(trx, tenant.id, { host, canonical })
  for (const plan of plans) await recordHosts(application, plan)
}
