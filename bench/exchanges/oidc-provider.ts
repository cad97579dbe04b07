import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import Provider, { type Adapter, type AdapterPayload, type JWK } from 'oidc-provider'
import { challenge, client, memberCount } from './code-server.ts'
import { serveOrders } from './rival.ts'

// A rival of code exchanges, a process of its own: oidc-provider with everything in memory and RS256 access tokens in the
// form of JWTs. Its own memory adapter holds 1,000 entries, fewer than there are codes, so this one is a plain map.

const stored = new Map<string, AdapterPayload>()

class MemoryAdapter implements Adapter {
  readonly kind: string
  constructor(kind: string) {
    this.kind = kind
  }
  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    stored.set(`${this.kind}:${id}`, payload)
  }
  async find(id: string): Promise<AdapterPayload | undefined> {
    return stored.get(`${this.kind}:${id}`)
  }
  async consume(id: string): Promise<void> {
    const payload = stored.get(`${this.kind}:${id}`)
    if (payload) payload.consumed = Math.floor(Date.now() / 1000)
  }
  async destroy(id: string): Promise<void> {
    stored.delete(`${this.kind}:${id}`)
  }
  async findByUid(): Promise<undefined> {}
  async findByUserCode(): Promise<undefined> {}
  async revokeByGrantId(): Promise<void> {}
}

const resource = 'https://api.bench.example'
const resourceScope = 'member'
/** Of codes. */
let scope = resourceScope
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const accounts = Array.from({ length: memberCount }, () => randomUUID())
let provider: Provider
let grants: string[] = []

serveOrders({
  async start({ isOpenId }) {
    if (isOpenId) scope = `openid ${resourceScope}`
    provider = new Provider('http://127.0.0.1', {
      adapter: MemoryAdapter,
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: [client.redirectUri],
          grant_types: ['authorization_code'],
          response_types: ['code'],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' } as JWK] },
      findAccount: (_ctx, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
      ttl: { AuthorizationCode: 3_600, AccessToken: 30 * 24 * 60 * 60, Grant: 30 * 24 * 60 * 60 },
      features: {
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => resource,
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({
            scope: resourceScope,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    })
    grants = await Promise.all(
      accounts.map(accountId => {
        const grant = new provider.Grant({ accountId, clientId: client.id })
        grant.addResourceScope(resource, resourceScope)
        if (isOpenId) grant.addOIDCScope('openid')
        return grant.save()
      }),
    )
    const server = provider.listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    return { port: (server.address() as AddressInfo).port, path: '/token' }
  },
  async makeCodes(count) {
    const found = await provider.Client.find(client.id)
    if (!found) throw new Error('the client is unknown')
    const codes: string[] = []
    for (let index = 0; index < count; index++) {
      const code = new provider.AuthorizationCode({
        client: found,
        accountId: accounts[index % memberCount] ?? '',
        grantId: grants[index % memberCount] ?? '',
        redirectUri: client.redirectUri,
        codeChallenge: challenge,
        codeChallengeMethod: 'S256',
        scope,
        resource,
        gty: 'authorization_code',
      })
      codes.push(await code.save())
    }
    return codes
  },
})
