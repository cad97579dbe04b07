import type { SocialProviderKind } from '@usher/contract'
import { buildAuthorizationUrl, type Configuration, calculatePKCECodeChallenge } from 'openid-client'
import type { Checks } from './attempt.ts'
import { factsOf } from './provider-kinds.ts'

/** Providers that let somebody choose among several accounts when they are asked to. */
const CHOOSING: readonly SocialProviderKind[] = ['google', 'microsoft']

/** Where a browser is sent to sign in at a provider (OpenID Connect Core 3.1.2.1). */
export async function authorizationAddress(
  config: Configuration,
  kind: SocialProviderKind,
  request: {
    redirectUri: string
    state: string
    checks: Checks
    /** Whether it is to ask even somebody who is signed in there. */
    choose: boolean
  },
): Promise<string> {
  const { scope, formPost } = factsOf(kind)
  const address = buildAuthorizationUrl(config, {
    redirect_uri: request.redirectUri,
    scope,
    state: request.state,
    code_challenge: await calculatePKCECodeChallenge(request.checks.codeVerifier),
    code_challenge_method: 'S256',
    ...(kind !== 'github' && { nonce: request.checks.nonce }),
    ...(formPost && { response_mode: 'form_post' }),
    ...(request.choose && CHOOSING.includes(kind) && { prompt: 'select_account' }),
  })
  return address.href
}
