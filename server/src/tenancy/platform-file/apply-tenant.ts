import { type Flag, flags } from '@usher/contract'
import { uuidv7 } from '../../foundation/uuid.ts'
import { listActiveFlags, putFlag } from '../feature-flags.store.ts'
import type { EventSettings } from '../tenant.ts'
import {
  findEventSettings,
  findTenantName,
  insertTenant,
  updateEventSettings,
  updateTenantName,
} from '../tenants.store.ts'
import { type Application, recordChange, type TenantName } from './changes.ts'
import type { EventsDeclaration, TenantDeclaration } from './tenant-declaration.ts'

/** The declared tenant with its declared name; made when there is none with its slug. */
export async function applyTenant(
  application: Application,
  { slug, name, domain }: TenantDeclaration,
): Promise<TenantName> {
  const { trx, hooks, now } = application
  const known = await findTenantName(trx, slug)
  if (!known) {
    const tenant = { id: uuidv7(), slug }
    await insertTenant(trx, { ...tenant, name, createdAt: now })
    await hooks.tenantCreated(trx, tenant.id)
    await recordChange(application, tenant, {
      action: 'tenant.created',
      target: slug,
      details: { name, domain: domain.toLowerCase() },
      text: `made, at ${domain.toLowerCase()}`,
    })
    return tenant
  }
  if (known.name !== name) {
    await updateTenantName(trx, known.id, name)
    await recordChange(application, known, {
      action: 'tenant.renamed',
      target: slug,
      details: { from: known.name, to: name },
      text: `renamed from ${known.name} to ${name}`,
    })
  }
  return known
}

/** Activates the declared flags and no others; leaves them alone where the file names none at all. */
export async function applyFlags(
  application: Application,
  tenant: TenantName,
  declared: readonly Flag[] | undefined,
): Promise<void> {
  if (!declared) return
  const { trx, hooks, now } = application
  const current = await listActiveFlags(trx, tenant.id)
  for (const flag of flags) {
    const active = declared.includes(flag)
    if (active === current.has(flag)) continue
    await putFlag(trx, tenant.id, flag, active, now)
    await hooks.flagChanged(trx, tenant.id, flag, active)
    await recordChange(application, tenant, {
      action: active ? 'flag.activated' : 'flag.deactivated',
      target: flag,
      text: `flag ${flag} ${active ? 'on' : 'off'}`,
    })
  }
}

/** The settings with what the file declares of them. */
function declaredSettings(current: EventSettings, declared: EventsDeclaration): EventSettings {
  return {
    retentionDays: declared.retention_days ?? current.retentionDays,
    queueRetentionDays: declared.queue_retention_days ?? current.queueRetentionDays,
    shortenAddresses: declared.shorten_addresses ?? current.shortenAddresses,
    bots: declared.bots ?? current.bots,
    siteHosts: declared.site_hosts?.map(host => host.toLowerCase()) ?? current.siteHosts,
    secretParameters: declared.secret_parameters ?? current.secretParameters,
  }
}

/** Treats a tenant's events as declared. */
export async function applyEventSettings(
  application: Application,
  tenant: TenantName,
  declared: EventsDeclaration | undefined,
): Promise<void> {
  if (!declared) return
  const current = await findEventSettings(application.trx, tenant.id)
  if (!current) return
  const wanted = declaredSettings(current, declared)
  if (JSON.stringify(wanted) === JSON.stringify(current)) return
  await updateEventSettings(application.trx, tenant.id, wanted)
  await recordChange(application, tenant, {
    action: 'tenant.events_changed',
    target: tenant.slug,
    details: { from: current, to: wanted },
    text: 'treatment of events changed',
  })
}
