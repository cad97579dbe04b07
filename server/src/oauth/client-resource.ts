import type { ClientResource } from '@usher/contract'
import { toIso } from '../foundation/time.ts'
import type { OAuthClient } from './client.ts'

/** A client as the API shows it; with its secret in the answer that made it. */
export function toClientResource(client: OAuthClient, secret?: string): ClientResource {
  return {
    id: client.clientId,
    type: 'oauth-clients',
    attributes: {
      client_id: client.clientId,
      name: client.name,
      redirect_uris: [...client.redirectUris],
      allowed_origins: [...client.allowedOrigins],
      post_logout_redirect_uris: [...client.postLogoutRedirectUris],
      backchannel_logout_uri: client.backchannelLogoutUri,
      pkce_required: client.pkceRequired,
      enabled: client.enabled,
      created_at: toIso(client.createdAt),
      updated_at: toIso(client.updatedAt),
      secret_changed_at: toIso(client.secretChangedAt),
      ...(secret !== undefined && { client_secret: secret }),
    },
  }
}
