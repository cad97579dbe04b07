import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOAuthPlatform, hostOf, issuerOf, type OAuthPlatform } from '../testing/oauth-platform.ts'

let platform: OAuthPlatform
beforeAll(async () => {
  platform = await createOAuthPlatform()
})
afterAll(() => platform.close())

describe('discovery (interface 2.8 and 4.11, RFC 8414)', () => {
  const get = (url: string, host = hostOf()) => platform.request(host, { url })

  test.for(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])(
    '%s',
    async url => {
      const answer = await get(url)
      const clientAuthentication = ['client_secret_post', 'client_secret_basic']
      expect([answer.statusCode, answer.json()]).toEqual([
        200,
        {
          issuer: issuerOf(),
          authorization_endpoint: `${issuerOf()}/oauth/authorize`,
          token_endpoint: `${issuerOf()}/oauth/token`,
          jwks_uri: `${issuerOf()}/.well-known/jwks.json`,
          response_types_supported: ['token', 'code'],
          grant_types_supported: ['authorization_code'],
          code_challenge_methods_supported: ['S256'],
          userinfo_endpoint: `${issuerOf()}/oauth/userinfo`,
          end_session_endpoint: `${issuerOf()}/oauth/logout`,
          revocation_endpoint: `${issuerOf()}/oauth/revoke`,
          introspection_endpoint: `${issuerOf()}/oauth/introspect`,
          response_modes_supported: ['query'],
          prompt_values_supported: ['none', 'login', 'select_account'],
          token_endpoint_auth_methods_supported: clientAuthentication,
          revocation_endpoint_auth_methods_supported: clientAuthentication,
          introspection_endpoint_auth_methods_supported: clientAuthentication,
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          scopes_supported: ['openid', 'profile', 'email'],
          claims_supported:
            'iss sub aud azp exp iat auth_time nonce at_hash sid email email_verified name updated_at'.split(
              ' ',
            ),
          backchannel_logout_supported: true,
          backchannel_logout_session_supported: true,
          claims_parameter_supported: false,
          request_parameter_supported: false,
          request_uri_parameter_supported: false,
          authorization_response_iss_parameter_supported: true,
        },
      ])
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': '*',
      })
    },
  )

  test('publishes public RS256 keys, each tenant its own, and nothing private (RFC 7517)', async () => {
    const keysOf = async (slug: 'acme' | 'globe') =>
      (await get('/.well-known/jwks.json', hostOf(slug))).json().keys as Record<string, string>[]
    const [acme, globe] = [await keysOf('acme'), await keysOf('globe')]
    for (const key of [...acme, ...globe])
      expect(key).toEqual({
        kty: 'RSA',
        use: 'sig',
        alg: 'RS256',
        kid: expect.any(String),
        n: expect.stringMatching(/^[\w-]{342}$/),
        e: 'AQAB',
      })
    expect(acme.length).toBeGreaterThan(0)
    const kids = new Set(acme.map(({ kid }) => kid))
    expect(globe.filter(({ kid }) => kids.has(kid))).toEqual([])
  })
})
