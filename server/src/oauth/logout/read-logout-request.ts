import type { IdTokenFacts, Members } from '../../members/index.ts'
import type { Tenant } from '../../tenancy/index.ts'
import type { Unredirectable } from '../authorize/find-asking-client.ts'
import type { OAuthClient } from '../client.ts'
import type { ClientCache } from '../client-cache.ts'
import { responseAddress } from '../response-address.ts'

/** Parameters of a sign-out that a client asks for. */
export const LOGOUT_PARAMETERS = [
  'id_token_hint',
  'client_id',
  'post_logout_redirect_uri',
  'state',
  'ui_locales',
] as const

/** A sign-out that a client asks for, checked. */
export interface LogoutRequest {
  /** Undefined where nothing names one that is known and enabled. */
  client: OAuthClient | undefined
  /** What the client's id_token says, expired or not. */
  hint: IdTokenFacts | undefined
  /** Where the browser goes on: at the client's, or else on a page that says that it is signed out. */
  goOnAt: string
}

/** Reads what a client asks for (OpenID Connect RP-Initiated Logout 2 and 3). A request that names an address which is not
 *  its client's, or two clients, leads nowhere; an id_token that cannot be read counts as none. */
export async function readLogoutRequest(
  { clients, members }: { clients: ClientCache; members: Pick<Members, 'readIdToken'> },
  tenant: Tenant,
  parameters: URLSearchParams,
): Promise<LogoutRequest | Unredirectable> {
  const repeated = LOGOUT_PARAMETERS.find(name => parameters.getAll(name).length > 1)
  if (repeated !== undefined) return { detail: `${repeated} was sent twice.` }
  const token = parameters.get('id_token_hint')
  const hint = token ? await members.readIdToken(tenant, token) : undefined
  const named = parameters.get('client_id') || hint?.clientId
  if (hint && hint.clientId !== named)
    return { detail: 'client_id is another than id_token_hint was issued to.' }
  const known = named === undefined ? undefined : await clients.findFresh(tenant.id, named)
  const client = known?.enabled ? known : undefined
  const address = parameters.get('post_logout_redirect_uri')
  if (!address) return { client, hint, goOnAt: signedOutAddress(parameters.get('ui_locales')) }
  if (!client)
    return {
      detail:
        'post_logout_redirect_uri needs an id_token_hint that can be read, or the client_id, of a client that is known and enabled.',
    }
  if (!client.postLogoutRedirectUris.includes(address))
    return {
      detail:
        'post_logout_redirect_uri is not registered for this client. It must be one of its registered URIs, character by character.',
    }
  const state = parameters.get('state')
  return { client, hint, goOnAt: state === null ? address : responseAddress(address, { state }) }
}

const signedOutAddress = (uiLocales: string | null): string =>
  uiLocales ? `/signed-out?${new URLSearchParams({ ui_locales: uiLocales })}` : '/signed-out'
