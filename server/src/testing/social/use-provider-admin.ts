import type { LightMyRequestResponse } from 'fastify'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { createOAuthPlatform, hostOf, type OAuthPlatform } from '../oauth-platform.ts'
import { tokens } from '../whole-platform.ts'
import { type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts'
import { callbackOf } from './social-platform.ts'

type Attributes = Record<string, unknown>

export const providersPath = '/api/v1/social-providers'
export const providersType = 'application/vnd.api+json'

/** What the tests of a file share. Its members are there once the tests run. */
export interface ProviderAdmin {
  platform: OAuthPlatform
  provider: OpenIdProvider
  /** Asks below the path of providers. */
  get(below?: string, slug?: 'acme' | 'globe'): Promise<LightMyRequestResponse>
  send(
    method: 'POST' | 'PATCH' | 'DELETE',
    below: string,
    data?: { id?: string; attributes?: Attributes },
  ): Promise<LightMyRequestResponse>
  /** Attributes that the provider knows, with others in their place. */
  attributes(more?: Attributes): Attributes
  /** Adds the provider once more, and answers its id. */
  make(more?: Attributes): Promise<string>
}

/** A tenant's administration of its providers, and a provider to add, for the tests of this file. */
export function useProviderAdmin(): ProviderAdmin {
  const shared = {} as ProviderAdmin
  let count = 0
  beforeAll(async () => {
    const provider = await startOpenIdProvider({ redirectUris: [callbackOf('staff')] })
    const platform = await createOAuthPlatform()
    Object.assign(shared, {
      platform,
      provider,
      get: (below = '', slug = 'acme') =>
        platform.request(hostOf(slug), { url: providersPath + below, key: tokens[slug] }),
      send: (method, below, data) =>
        platform.request(hostOf(), {
          method,
          url: providersPath + below,
          key: tokens.acme,
          ...(data && {
            payload: JSON.stringify({ data: { type: 'social-providers', ...data } }),
            headers: { 'content-type': providersType },
          }),
        }),
      attributes: (more = {}) => ({
        provider: 'oidc',
        name: 'Staff',
        issuer: provider.issuer,
        client_id: 'usher',
        client_secret: provider.clientSecret,
        ...more,
      }),
      async make(more = {}) {
        const id = `made-${++count}`
        const made = await shared.send('POST', '', { id, attributes: shared.attributes(more) })
        expect([made.statusCode, made.body]).toEqual([201, expect.any(String)])
        return id
      },
    } satisfies ProviderAdmin)
  })
  afterEach(() => shared.provider.behave())
  afterAll(async () => {
    await shared.platform?.close()
    await shared.provider?.close()
  })
  return shared
}
