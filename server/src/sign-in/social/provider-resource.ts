import type { SocialProviderResource } from '@usher/contract'
import { toIso } from '../../foundation/time.ts'
import type { SocialProvider } from './provider.ts'
import { redirectUriOf } from './provider-addresses.ts'
import { writeSettings } from './provider-audit.ts'

/** Where a tenant's providers send browsers back to. */
export interface TenantAddress {
  publicUrl: URL
  domain: string
}

/** A provider as the API shows it. */
export function toProviderResource(
  provider: SocialProvider,
  { publicUrl, domain }: TenantAddress,
): SocialProviderResource {
  const { team_id, key_id, ...settings } = writeSettings(provider) as ReturnType<typeof writeSettings> & {
    team_id?: string
    key_id?: string
  }
  return {
    id: provider.id,
    type: 'social-providers',
    attributes: {
      provider: provider.kind,
      ...settings,
      ...(team_id !== undefined && { team_id }),
      ...(key_id !== undefined && { key_id }),
      redirect_uri: redirectUriOf(publicUrl, domain, provider.id),
      created_at: toIso(provider.createdAt),
      updated_at: toIso(provider.updatedAt),
      secret_changed_at: toIso(provider.secretChangedAt),
    },
  }
}
