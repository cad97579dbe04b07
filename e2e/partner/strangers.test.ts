import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needsProgram } from '../../server/src/testing/needs-program.ts'
import { type HttpsPlatform, startHttpsPlatform } from './start-https-platform.ts'
import { signInByCode } from './visit-pages.ts'

// Client libraries that know nothing of us, with what they ask for by themselves: no setting loosens a check, and none says
// what the discovery document could.

const redirectUri = 'http://127.0.0.1:4567/callback'

describe.skipIf(needsProgram('openssl'))('a client library from the shelf', () => {
  let platform: HttpsPlatform
  const trusted = getCACertificates('default')
  beforeAll(async () => {
    platform = await startHttpsPlatform(redirectUri)
    setDefaultCACertificates([...trusted, platform.certificate])
  })
  afterAll(async () => {
    setDefaultCACertificates(trusted)
    await platform?.close()
  })
  const signIn = (address: URL, email: string) =>
    signInByCode(address, { email, letterTo: platform.letterTo })

  const claims = (given: { sub: string }) => ({
    iss: platform.issuer,
    sub: given.sub,
    aud: [platform.issuer, 'stranger'],
    azp: 'stranger',
    client_id: 'stranger',
    sid: expect.any(String),
    jti: expect.any(String),
    iat: expect.any(Number),
    exp: expect.any(Number),
  })

  test.for([
    ['the secret in the form', undefined],
    ['the secret by HTTP Basic', openid.ClientSecretBasic],
  ] as const)('openid-client signs a member in, with %s', async ([how, authentication]) => {
    const { issuer, client } = platform
    const config = await openid.discovery(
      new URL(issuer),
      client.id,
      client.secret,
      authentication?.(client.secret),
    )
    const verifier = openid.randomPKCECodeVerifier()
    const state = openid.randomState()
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    })
    const email = `openid-client-${how.length}@example.com`
    const back = await signIn(address, email)
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{64}$/),
      state,
      iss: issuer,
    })
    const checks = { pkceCodeVerifier: verifier, expectedState: state }
    const tokens = await openid.authorizationCodeGrant(config, back, checks)
    expect(Object.keys(tokens).sort()).toEqual(['access_token', 'expires_in', 'token_type'])
    await expect(openid.authorizationCodeGrant(config, back, checks)).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    })

    const member = await openid.fetchProtectedResource(
      config,
      tokens.access_token,
      new URL('/api/sdk/member', issuer),
      'GET',
    )
    const { data } = (await member.json()) as { data: { id: string; email: string } }
    expect(data.email).toBe(email)
    expect(await openid.tokenIntrospection(config, tokens.access_token)).toEqual({
      active: true,
      token_type: 'Bearer',
      ...claims({ sub: data.id }),
    })
    await openid.tokenRevocation(config, tokens.access_token)
    expect(await openid.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false })
  })

  test('openid-client signs a member in by OpenID Connect, verifies the id_token, and asks userinfo', async () => {
    const { issuer, client } = platform
    const config = await openid.discovery(new URL(issuer), client.id, client.secret)
    openid.enableNonRepudiationChecks(config)
    const verifier = openid.randomPKCECodeVerifier()
    const [state, nonce] = [openid.randomState(), openid.randomNonce()]
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      scope: 'openid email',
      state,
      nonce,
      max_age: '300',
    })
    const back = await signIn(address, 'openid@example.com')
    const tokens = await openid.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      maxAge: 300,
      idTokenExpected: true,
    })
    const sub = tokens.claims()?.sub ?? ''
    // As passport-openidconnect and Auth.js read it, which ask no userinfo.
    expect(tokens.claims()).toMatchObject({ email: 'openid@example.com', email_verified: true })
    expect(await openid.fetchUserInfo(config, tokens.access_token, sub)).toEqual({
      sub,
      email: 'openid@example.com',
      email_verified: true,
    })
    const out = openid.buildEndSessionUrl(config, { id_token_hint: tokens.id_token ?? '' })
    expect(out.origin + out.pathname).toBe(`${issuer}/oauth/logout`)
    const answer = await fetch(out, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/signed-out'])
    await expect(openid.fetchUserInfo(config, tokens.access_token, sub)).rejects.toMatchObject({
      status: 401,
    })
  })

  test.for([
    ['OpenID Connect discovery', 'oidc'],
    ['RFC 8414', 'oauth2'],
  ] as const)('oauth4webapi signs a member in, found by %s', async ([, algorithm]) => {
    const { client: registered } = platform
    const issuer = new URL(platform.issuer)
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm }),
    )
    const client: oauth.Client = { client_id: registered.id }
    const authentication = oauth.ClientSecretPost(registered.secret)
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const address = new URL(server.authorization_endpoint ?? '')
    address.search = new URLSearchParams({
      client_id: registered.id,
      redirect_uri: redirectUri,
      response_type: 'code',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    }).toString()
    const back = await signIn(address, `oauth4webapi-${algorithm}@example.com`)
    const parameters = oauth.validateAuthResponse(server, client, back, state)
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        parameters,
        redirectUri,
        verifier,
      ),
    )

    // RFC 9068 to the letter: typ, iss, aud, exp, iat, jti, client_id, and the signature by the published keys.
    const verified = await oauth.validateJwtAccessToken(
      server,
      new Request('https://api.example.com/', {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      }),
      registered.id,
    )
    expect(verified).toEqual(claims(verified))

    const introspect = async () =>
      oauth.processIntrospectionResponse(
        server,
        client,
        await oauth.introspectionRequest(server, client, authentication, tokens.access_token),
      )
    expect((await introspect()).active).toBe(true)
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, authentication, tokens.access_token),
    )
    expect(await introspect()).toEqual({ active: false })
  })

  test('openid-client is told why an exchange fails, and notices an answer of somebody else’s', async () => {
    const { issuer, client } = platform
    const config = await openid.discovery(new URL(issuer), client.id, 'not the secret')
    const back = new URL(`${redirectUri}?code=x&iss=${encodeURIComponent(issuer)}`)
    await expect(openid.authorizationCodeGrant(config, back)).rejects.toMatchObject({
      error: 'invalid_client',
    })
    for (const [query, message] of [
      ['code=x&iss=https%3A%2F%2Fattacker.example', /unexpected "iss"/],
      ['code=x', /"iss".*missing/],
    ] as const)
      await expect(
        openid.authorizationCodeGrant(config, new URL(`${redirectUri}?${query}`)),
      ).rejects.toMatchObject({ cause: { message: expect.stringMatching(message) } })
  })
})
