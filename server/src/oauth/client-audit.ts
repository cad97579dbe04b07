import type { Database } from '../foundation/database/index.ts'
import { type Editor, recordAudit } from '../tenancy/index.ts'
import type { ClientSettings } from './client.ts'

export type ClientAction = 'client.created' | 'client.changed' | 'client.secret_regenerated'

/** Writes a change of a client into the tenant's audit trail; its secret never. */
export const auditClient = (
  trx: Database,
  tenantId: string,
  { actor, address, now }: Editor,
  change: { action: ClientAction; clientId: string; details?: Record<string, unknown> },
): Promise<void> =>
  recordAudit(trx, {
    tenantId,
    actor,
    action: change.action,
    target: change.clientId,
    details: change.details ?? {},
    address: address || null,
    at: now,
  })

/** Settings in the words of the API and the platform file. */
export const writeSettings = (settings: ClientSettings) => ({
  name: settings.name,
  redirect_uris: settings.redirectUris,
  allowed_origins: settings.allowedOrigins,
  post_logout_redirect_uris: settings.postLogoutRedirectUris,
  backchannel_logout_uri: settings.backchannelLogoutUri,
  pkce_required: settings.pkceRequired,
  enabled: settings.enabled,
})

/** What of them changed: each setting, from what and to what. */
export function changedSettings(
  before: ClientSettings,
  after: ClientSettings,
): Record<string, { from: unknown; to: unknown }> {
  const from: Record<string, unknown> = writeSettings(before)
  const to: Record<string, unknown> = writeSettings(after)
  const changed = Object.keys(to).filter(name => JSON.stringify(from[name]) !== JSON.stringify(to[name]))
  return Object.fromEntries(changed.map(name => [name, { from: from[name], to: to[name] }]))
}
