import type { OAuthClient } from '../client.ts'
import type { ClientCache } from '../client-cache.ts'

/** A request that must not be redirected anywhere, and why, for its developer. */
export interface Unredirectable {
  detail: string
}

/** The client that sent the browser, and the redirect URI that it may be sent back to (interface 4.6, behaviour 2;
 *  RFC 6749 3.1.2.4; RFC 9700 2.1). Redirect URIs are compared character by character. */
export async function findAskingClient(
  clients: ClientCache,
  tenantId: string,
  query: URLSearchParams,
): Promise<{ client: OAuthClient; redirectUri: string } | Unredirectable> {
  const [clientId, ...moreIds] = query.getAll('client_id')
  if (!clientId) return { detail: 'client_id is missing.' }
  if (moreIds.length > 0) return { detail: 'client_id was sent twice.' }
  const client = await clients.find(tenantId, clientId)
  if (!client?.enabled) return { detail: 'The client that client_id names is unknown, or disabled.' }
  const [redirectUri, ...moreUris] = query.getAll('redirect_uri')
  if (!redirectUri) return { detail: 'redirect_uri is missing.' }
  if (moreUris.length > 0) return { detail: 'redirect_uri was sent twice.' }
  if (!client.redirectUris.includes(redirectUri))
    return {
      detail:
        'redirect_uri is not registered for this client. It must be one of its registered URIs, character by character.',
    }
  return { client, redirectUri }
}
