import type { Database } from '../../foundation/database/index.ts'
import { type Editor, recordAudit } from '../../tenancy/index.ts'
import type { ProviderSettings } from './provider.ts'

/** A change of a provider as it is written down. */
export interface ProviderChange {
  action:
    | 'social_provider.created'
    | 'social_provider.changed'
    | 'social_provider.secret_changed'
    | 'social_provider.removed'
  details?: Record<string, unknown>
}

/** Writes a change of a provider into the tenant's audit trail; its secret never. */
export const auditProvider = (
  trx: Database,
  tenantId: string,
  { actor, address, now }: Editor,
  { providerId, action, details = {} }: ProviderChange & { providerId: string },
): Promise<void> =>
  recordAudit(trx, {
    tenantId,
    actor,
    action,
    target: providerId,
    details,
    address: address || null,
    at: now,
  })

/** Settings in the words of the API and the platform file. */
export const writeSettings = (settings: ProviderSettings) => ({
  name: settings.name,
  issuer: settings.issuer,
  client_id: settings.clientId,
  ...(settings.teamId !== null && { team_id: settings.teamId, key_id: settings.keyId }),
  enabled: settings.enabled,
})

/** What of them changed: each setting, from what and to what. */
export function changedSettings(
  before: ProviderSettings,
  after: ProviderSettings,
): Record<string, { from: unknown; to: unknown }> {
  const from: Record<string, unknown> = writeSettings(before)
  const to: Record<string, unknown> = writeSettings(after)
  const changed = Object.keys(to).filter(name => from[name] !== to[name])
  return Object.fromEntries(changed.map(name => [name, { from: from[name], to: to[name] }]))
}
