import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  callback,
  createOAuthPlatform,
  hostOf,
  issuerOf,
  type OAuthPlatform,
  secretOf,
} from '../testing/oauth-platform.ts'

// A client library from the shelf, which checks what it is answered. Its only setting is where the host answers.

let platform: OAuthPlatform
beforeAll(async () => {
  platform = await createOAuthPlatform()
})
afterAll(() => platform.close())

/** Sends a request to the tenant's domain, which no name server knows. */
async function toTenant(url: string, options: oauth.CustomFetchOptions<string, unknown>): Promise<Response> {
  const { pathname, search, host } = new URL(url)
  const answer = await platform.request(host, {
    method: options.method as 'GET',
    url: pathname + search,
    headers: { ...options.headers },
    ...(options.body !== undefined && options.body !== null && { payload: String(options.body) }),
  })
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return new Response(answer.body, { status: answer.statusCode, headers })
}
const settings = { [oauth.customFetch]: toTenant, [oauth.allowInsecureRequests]: true } as const

describe.for(['openid-configuration', 'oauth-authorization-server'] as const)(
  'oauth4webapi, by /.well-known/%s',
  document => {
    const client: oauth.Client = { client_id: 'partner' }
    const algorithm = document === 'openid-configuration' ? 'oidc' : 'oauth2'
    const discover = async () => {
      const issuer = new URL(issuerOf())
      return oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { ...settings, algorithm }),
      )
    }

    test.for([
      ['the secret in the form', oauth.ClientSecretPost],
      ['HTTP Basic', oauth.ClientSecretBasic],
    ] as const)('signs a member in silently, with PKCE and %s', async ([, authenticate]) => {
      const server = await discover()
      const verifier = oauth.generateRandomCodeVerifier()
      const state = oauth.generateRandomState()
      const member = await platform.signIn()
      const authorization = new URL(server.authorization_endpoint ?? '')
      authorization.search = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: callback,
        response_type: 'code',
        prompt: 'none',
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).toString()
      const sent = await platform.request(hostOf(), {
        url: authorization.pathname + authorization.search,
        headers: { cookie: member.cookie },
      })

      // It refuses an answer without iss, or with another one (RFC 9207).
      const parameters = oauth.validateAuthResponse(
        server,
        client,
        new URL(String(sent.headers.location)),
        state,
      )
      const secret = authenticate(secretOf('partner'))
      const answer = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        secret,
        parameters,
        callback,
        verifier,
        settings,
      )
      const token = await oauth.processAuthorizationCodeResponse(server, client, answer)
      expect(token).toEqual({
        access_token: expect.any(String),
        // The library writes it so.
        token_type: 'bearer',
        expires_in: expect.any(Number),
      })

      const said = await oauth.introspectionRequest(server, client, secret, token.access_token, settings)
      expect(await oauth.processIntrospectionResponse(server, client, said)).toMatchObject({
        active: true,
        sub: member.memberId,
        client_id: 'partner',
      })
      // As a partner's own API does, with the tenant's published keys (RFC 9068).
      const asked = new Request('https://api.partner.example/', {
        headers: { authorization: `Bearer ${token.access_token}` },
      })
      expect(await oauth.validateJwtAccessToken(server, asked, 'partner', settings)).toMatchObject({
        sub: member.memberId,
        azp: 'partner',
      })
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, client, secret, token.access_token, settings),
      )
      const after = await oauth.introspectionRequest(server, client, secret, token.access_token, settings)
      expect(await oauth.processIntrospectionResponse(server, client, after)).toEqual({ active: false })
    })

    test('is told what is wrong in words that it knows', async () => {
      const server = await discover()
      const refused = async (secret: string, code: string) => {
        const answer = new URL(`${callback}?code=${code}&iss=${encodeURIComponent(issuerOf())}`)
        const parameters = oauth.validateAuthResponse(server, client, answer, oauth.expectNoState)
        const exchanged = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          oauth.ClientSecretBasic(secret),
          parameters,
          callback,
          oauth.nopkce,
          settings,
        )
        return oauth.processAuthorizationCodeResponse(server, client, exchanged).catch(error => error)
      }
      const grant = await refused(secretOf('partner'), 'guess')
      expect(grant).toBeInstanceOf(oauth.ResponseBodyError)
      expect([grant.error, grant.status]).toEqual(['invalid_grant', 400])
      const unknown = await refused('wrong', await platform.issue())
      expect(unknown).toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
      expect(unknown.status).toBe(401)
    })
  },
)
