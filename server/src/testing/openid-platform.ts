import type { LightMyRequestResponse } from 'fastify'
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { expect } from 'vitest'
import { hostOf, issuerOf } from './oauth-platform.ts'
import {
  arrivedAt,
  authorizePath,
  createSignInPlatform,
  newAddress,
  type SignInPlatform,
} from './sign-in-platform.ts'
import type { Visitor } from './visitor.ts'

/** What a client gets for a code that was asked for with `openid`. */
export interface OpenIdTokens {
  access_token: string
  id_token: string
}

type Parameters = Record<string, string>
/** What a browser brings to the client, with its address as `to`. */
type Arrived = Record<string, string>

export interface OpenIdPlatform extends SignInPlatform {
  /** Signs in by the code in the mail, and answers how the browser is sent on. */
  signInByMail(visitor: Visitor, parameters?: Parameters, email?: string): Promise<LightMyRequestResponse>
  /** The same, and what arrives at the client by it. */
  arrive(visitor: Visitor, parameters?: Parameters, email?: string): Promise<Arrived>
  /** What arrives at the client when it asks silently. */
  askSilently(visitor: Visitor, parameters?: Parameters): Promise<Arrived>
  /** Exchanges the code that arrived. */
  redeem(arrived: Arrived, form?: Parameters): Promise<OpenIdTokens>
  /** The claims of an id_token, verified by the published keys. */
  read(tokens: OpenIdTokens): Promise<JWTPayload>
  askUserInfo(tokens: Pick<OpenIdTokens, 'access_token'>): Promise<LightMyRequestResponse>
  /** Lets the sign-ins of a member lie further back. */
  ageSignIns(memberId: unknown, seconds: number): Promise<void>
}

/** The parameters of a request by OpenID Connect. */
export const openid = (parameters: Parameters = {}): Parameters => ({ scope: 'openid', ...parameters })

export const isSignInPage = (html: string): boolean => html.includes('name="email"')
export const isContinuePage = (html: string): boolean => html.includes('name="action" value="continue"')

/** The whole platform with mail, as a client that uses OpenID Connect sees it. */
export async function createOpenIdPlatform(): Promise<OpenIdPlatform> {
  const platform = await createSignInPlatform()

  const signInByMail: OpenIdPlatform['signInByMail'] = async (
    visitor,
    parameters = {},
    email = newAddress(),
  ) => {
    const flow = await platform.begin(visitor, openid(parameters))
    const { code } = await platform.askForMail(visitor, flow, email)
    return visitor.post(`${flow}/code`, { code })
  }

  return {
    ...platform,
    signInByMail,
    arrive: async (visitor, parameters, email) => arrivedAt(await signInByMail(visitor, parameters, email)),
    async askSilently(visitor, parameters = {}) {
      const answer = await visitor.get(authorizePath(openid({ prompt: 'none', ...parameters })))
      expect(answer.statusCode).toBe(302)
      return Object.fromEntries(new URL(String(answer.headers.location)).searchParams)
    },
    async redeem({ code = '' }, form = {}) {
      const answer = await platform.exchange(code, form)
      expect([answer.statusCode, answer.body]).toEqual([200, expect.stringContaining('"id_token"')])
      return answer.json()
    },
    async read({ id_token: idToken }) {
      const keys = (await platform.request(hostOf(), { url: '/.well-known/jwks.json' })).json()
      const options = { issuer: issuerOf(), audience: 'partner' }
      return (await jwtVerify(idToken, createLocalJWKSet(keys), options)).payload
    },
    askUserInfo: ({ access_token: token }) =>
      platform.request(hostOf(), {
        url: '/oauth/userinfo',
        headers: { authorization: `Bearer ${token}` },
      }),
    async ageSignIns(memberId, seconds) {
      await platform.database.pool.query(
        `update member_sessions set created_at = created_at - make_interval(secs => $2) where member_id = $1`,
        [memberId, seconds],
      )
    },
  }
}
