import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import * as client from 'openid-client'
import type { Settings } from './read-settings.ts'

/** What has to be remembered of a visitor on the way to the publisher and back. */
export interface Flow {
  state: string
  verifier: string
  nonce: string
}

/** What the publisher issued to us, and what it says. */
export interface SignedIn {
  /** The access token. */
  token: string
  /** The token that says who signed in: the id_token with OpenID Connect, else the access token itself. */
  proof: string
  header: { alg: string; kid?: string; typ?: string }
  claims: JWTPayload
}

/** What the publisher's API says of the member. */
export interface Member {
  email: string
  name: string | null
  /** When the member joined, which userinfo does not say. */
  since: string | null
  /** Where it was asked, and all that was answered. */
  asked: string
  answer: unknown
}

export interface SignIn {
  /** Where to send the visitor, and what to remember until they are back. Silently: no page is shown, and who is not signed
   *  in at the publisher's comes back with `login_required`. */
  begin(options?: { silently: boolean }): Promise<{ address: URL; flow: Flow }>
  /** Exchanges the code in the address that the visitor came back to, and verifies the token. Throws when anything is
   *  not as it was begun. */
  finish(address: URL, flow: Flow): Promise<SignedIn>
  /** Asks who the member is; undefined when the token is no longer good. */
  findMember(signedIn: SignedIn): Promise<Member | undefined>
  /** Gives a token back. */
  revoke(token: string): Promise<void>
  /** Ends the session that a token rides: of one that came silently, the browser's own at the publisher's. */
  endSession(token: string): Promise<void>
  /** With OpenID Connect, where to send a browser that is to be signed out at the publisher's too, from where it comes back
   *  (OpenID Connect RP-Initiated Logout 2); undefined without. */
  findWayOut(signedIn: SignedIn): Promise<URL | undefined>
}

/** Where the browser comes back to when it was signed out at the publisher's; registered there, to the letter. */
const signedOutUri = (redirectUri: URL): URL => new URL('/?signed-out', redirectUri)

/** Whether the publisher said that nobody is signed in there on this browser. */
export const isNobody = (error: unknown): boolean =>
  error instanceof client.AuthorizationResponseError && error.error === 'login_required'

/** Signs members of a publisher in, by OAuth 2.0's authorization code with PKCE, and with `openid` in the scope by OpenID
 *  Connect. Everything about the publisher comes from its discovery document, which is read when it is first needed. */
export function openSignIn({ issuer, clientId, clientSecret, redirectUri, scope }: Settings): SignIn {
  const isOpenId = scope.includes('openid')
  const redirect_uri = redirectUri.href
  const isDevelopment = issuer.protocol === 'http:'

  async function discover() {
    const config = await client.discovery(issuer, clientId, clientSecret, undefined, {
      ...(isDevelopment && { execute: [client.allowInsecureRequests] }),
    })
    const { jwks_uri } = config.serverMetadata()
    if (jwks_uri === undefined) throw new Error(`${issuer.origin} publishes no keys.`)
    const keys = createRemoteJWKSet(new URL(jwks_uri))
    return { config, keys }
  }

  let discovered: ReturnType<typeof discover> | undefined
  function publisher(): ReturnType<typeof discover> {
    discovered ??= discover().catch(error => {
      // The next visitor tries again.
      discovered = undefined
      throw error
    })
    return discovered
  }

  return {
    async begin({ silently } = { silently: false }) {
      const { config } = await publisher()
      const flow = {
        state: client.randomState(),
        verifier: client.randomPKCECodeVerifier(),
        nonce: client.randomNonce(),
      }
      const address = client.buildAuthorizationUrl(config, {
        redirect_uri,
        state: flow.state,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        ...(silently && { prompt: 'none' }),
        ...(scope.length > 0 && { scope: scope.join(' ') }),
        ...(isOpenId && { nonce: flow.nonce }),
      })
      return { address, flow }
    },

    async finish(address, { state, verifier, nonce }) {
      const { config, keys } = await publisher()
      const { access_token: token, id_token: idToken } = await client.authorizationCodeGrant(
        config,
        address,
        {
          expectedState: state,
          pkceCodeVerifier: verifier,
          ...(isOpenId && { expectedNonce: nonce, idTokenExpected: true }),
        },
      )
      const proof = isOpenId ? String(idToken) : token
      const { payload, protectedHeader } = await jwtVerify(proof, keys, {
        issuer: config.serverMetadata().issuer,
        audience: clientId,
        typ: isOpenId ? 'JWT' : 'at+jwt',
        algorithms: ['RS256'],
        requiredClaims: ['sub', 'exp'],
      })
      return { token, proof, header: protectedHeader, claims: payload }
    },

    async findMember({ token, claims }) {
      const { config } = await publisher()
      try {
        if (isOpenId) {
          const answer = await client.fetchUserInfo(config, token, String(claims.sub))
          const { sub, email = sub, name = null } = answer
          return { email, name, since: null, asked: 'GET /oauth/userinfo', answer }
        }
        const address = new URL('/api/sdk/member', issuer)
        const answer = await client.fetchProtectedResource(config, token, address, 'GET')
        if (!answer.ok) throw new Error(`${address} answered ${answer.status}.`)
        const member = (await answer.json()) as {
          data: { email: string; name: string | null; created_at: string }
        }
        const { email, name, created_at: since } = member.data
        return { email, name, since, asked: 'GET /api/sdk/member', answer: member }
      } catch (error) {
        if (error instanceof client.WWWAuthenticateChallengeError && error.status === 401) return undefined
        throw error
      }
    },

    async endSession(token) {
      const { config } = await publisher()
      const address = new URL('/api/sdk/sign-out', issuer)
      const answer = await client.fetchProtectedResource(config, token, address, 'POST')
      if (!answer.ok) throw new Error(`${address} answered ${answer.status}.`)
    },

    async findWayOut({ proof }) {
      if (!isOpenId) return undefined
      const { config } = await publisher()
      return client.buildEndSessionUrl(config, {
        id_token_hint: proof,
        post_logout_redirect_uri: signedOutUri(redirectUri).href,
      })
    },

    async revoke(token) {
      const { config } = await publisher()
      await client.tokenRevocation(config, token)
    },
  }
}
