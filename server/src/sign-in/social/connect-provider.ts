import type { SocialProviderKind } from '@usher/contract'
import * as openid from 'openid-client'
import type { Outgoing } from '../../foundation/outgoing/index.ts'
import { makeAppleSecret } from './apple-secret.ts'
import { githubMetadata, withErrorStatus } from './github.ts'
import { ProviderFault } from './provider-fault.ts'

/** What it takes to talk to a provider. */
export interface ProviderTerms {
  kind: SocialProviderKind
  issuer: string
  clientId: string
  teamId: string | null
  keyId: string | null
  /** The client's secret; Apple's private key. */
  secret: string
}

/** How providers are reached. */
export interface ProviderReach {
  outgoing: Outgoing
  /** In development: over http too. */
  allowLocal: boolean
  /** Unix milliseconds. */
  nowMs(): number
}

/** How the client shows who it is. A provider that does not say takes HTTP Basic (OpenID Connect Discovery 3). */
function authentication(terms: ProviderTerms, nowMs: () => number): openid.ClientAuth {
  const { teamId, keyId, secret, clientId, issuer: audience } = terms
  const post = openid.ClientSecretPost(secret)
  const basic = openid.ClientSecretBasic(secret)
  if (terms.kind === 'apple')
    return async (_server, _client, body) => {
      const key = { teamId: teamId ?? '', keyId: keyId ?? '', privateKey: secret, clientId, audience }
      body.set('client_id', clientId)
      body.set('client_secret', await makeAppleSecret(key, new Date(nowMs())))
    }
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const authenticate = terms.kind === 'github' || methods.includes('client_secret_post') ? post : basic
    authenticate(server, ...request)
  }
}

/** Refuses addresses that are not https; to what they lead is looked at when they are asked. */
function checkEndpoints(server: openid.ServerMetadata, allowLocal: boolean): void {
  const needed = ['authorization_endpoint', 'token_endpoint', 'jwks_uri']
  for (const name of [...needed, 'userinfo_endpoint']) {
    const address = server[name]
    if (address === undefined && !needed.includes(name)) continue
    const { protocol } = URL.parse(String(address)) ?? {}
    if (protocol !== 'https:' && !(allowLocal && protocol === 'http:'))
      throw new ProviderFault('faulty', `Its discovery document has no https address as ${name}.`)
  }
}

/** Learns what has to be known of a provider, by its discovery document (OpenID Connect Discovery 4), whose issuer must be
 *  the one that was asked (RFC 8414 3.3). Throws errors that `toProviderFault` understands. */
export async function connectProvider(
  { outgoing, allowLocal, nowMs }: ProviderReach,
  terms: ProviderTerms,
): Promise<openid.Configuration> {
  const { kind, issuer, clientId } = terms
  const isOpenId = kind !== 'github'
  const fetch: openid.CustomFetch = async (url, options) => {
    const answer = await outgoing.fetch(url, options)
    return kind === 'github' && url === `${issuer}/access_token` ? withErrorStatus(answer) : answer
  }
  const execute = [
    ...(allowLocal ? [openid.allowInsecureRequests] : []),
    // The id_token's signature counts, and not only that it came over TLS.
    ...(isOpenId ? [openid.enableNonRepudiationChecks] : []),
  ]
  const byWhom = authentication(terms, nowMs)
  if (isOpenId) {
    const config = await openid.discovery(new URL(issuer), clientId, undefined, byWhom, {
      [openid.customFetch]: fetch,
      execute,
    })
    checkEndpoints(config.serverMetadata(), allowLocal)
    return config
  }
  const config = new openid.Configuration(githubMetadata(issuer), clientId, undefined, byWhom)
  config[openid.customFetch] = fetch
  for (const extend of execute) extend(config)
  return config
}
