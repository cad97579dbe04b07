import { randomBytes } from 'node:crypto'
import * as openid from 'openid-client'
import { outgoingErrorIn } from '../../foundation/outgoing/index.ts'
import { connectProvider, type ProviderReach } from './connect-provider.ts'
import type { DraftProblem, ProviderDraft } from './provider-draft.ts'
import { errorCode, ProviderFault, refusesClient, toProviderFault } from './provider-fault.ts'

/** What trying a provider has shown. */
export interface ProviderCheck {
  problems: DraftProblem[]
  /** What could not be found out, in whole sentences. */
  warnings: string[]
  /** Nobody answered, so nothing was found out. */
  isAway: boolean
}

const CODE_WRONG = new Set(['invalid_grant', 'bad_verification_code'])

/** Nobody is asked at an address that leads inside. */
const isForbidden = (error: unknown): boolean => outgoingErrorIn(error)?.fault === 'forbidden'
const forbidden = (error: unknown): ProviderCheck =>
  told({
    problems: [
      { field: 'issuer', message: `leads to where Usher does not go: ${wordsOf(outgoingErrorIn(error))}` },
    ],
  })
const wordsOf = (error: Error | undefined): string => error?.message.replace(/\.$/, '') ?? ''

const told = (found: Partial<ProviderCheck>): ProviderCheck => ({
  problems: [],
  warnings: [],
  isAway: false,
  ...found,
})

/** Why what came is no discovery document. */
function causeOf(error: unknown): string {
  const outgoing = outgoingErrorIn(error)
  if (outgoing) return wordsOf(outgoing)
  const { cause, code = '' } = error instanceof openid.ClientError ? error : {}
  if (cause instanceof Response && cause.status !== 200) return `it answers ${cause.status}`
  return cause instanceof Response || code === 'OAUTH_PARSE_ERROR'
    ? 'what it answers is not JSON'
    : 'what it answers does not name an issuer'
}

/** What a provider that cannot be connected to says of the issuer. */
function judgeIssuer(error: unknown, { issuer, name }: ProviderDraft): ProviderCheck {
  const fault = toProviderFault(error)
  if (fault.kind === 'away') return told({ isAway: true, warnings: [fault.message] })
  const field = 'issuer' as const
  if (isForbidden(error)) return forbidden(error)
  const named = error instanceof openid.ClientError && (error.cause as { body?: { issuer?: unknown } } | null)
  const other = named && typeof named.body?.issuer === 'string' ? named.body.issuer : undefined
  if (other !== undefined && other !== issuer)
    return told({
      problems: [{ field, message: `is not what the provider calls itself: ${other.slice(0, 300)}` }],
    })
  return told({
    problems: [
      {
        field,
        message: `has no discovery document that can be read at ${issuer.replace(/\/$/, '')}/.well-known/openid-configuration: ${causeOf(error)}; compare the issuer with what ${name} shows`,
      },
    ],
  })
}

/** The error code with which a token endpoint refused; undefined where it gave none. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof openid.ResponseBodyError) return error.error
  // RFC 6749 5.2: 401 is for a client that is not known.
  return error instanceof openid.WWWAuthenticateChallengeError ? 'invalid_client' : undefined
}

/** Tries the secret, with a code that cannot be right: who refuses the code, and not the client, knows the client. */
async function trySecret(
  config: openid.Configuration,
  { kind, name }: ProviderDraft,
  redirectUri: string,
): Promise<ProviderCheck> {
  try {
    await openid.genericGrantRequest(config, 'authorization_code', {
      code: `usher-tries-its-secret-${randomBytes(16).toString('hex')}`,
      redirect_uri: redirectUri,
      code_verifier: openid.randomPKCECodeVerifier(),
    })
  } catch (error) {
    if (isForbidden(error)) return forbidden(error)
    const refusal = refusalOf(error)
    if (refusal === undefined) {
      const fault = toProviderFault(error)
      return told({
        isAway: fault.kind === 'away',
        warnings: [`${name} did not say whether the secret is right: ${fault.message}`],
      })
    }
    if (CODE_WRONG.has(refusal)) return told({})
    if (refusesClient(refusal)) {
      const field = kind === 'apple' ? 'private_key' : 'client_secret'
      const message = `was refused by ${name} (${refusal}); compare it and ${kind === 'apple' ? 'client_id, team_id and key_id' : 'client_id'} with what ${name} shows`
      return told({ problems: [{ field, message }] })
    }
    if (refusal === 'redirect_uri_mismatch')
      return told({
        warnings: [`Register the redirect URI ${redirectUri} with ${name}: it is not known there.`],
      })
    return told({
      warnings: [`${name} did not say whether the secret is right: it answered ${errorCode(refusal)}.`],
    })
  }
  return told({ warnings: [`${name} takes any code: nobody should sign in by it.`] })
}

/** Asks a provider whether its issuer and its secret are right, before they are stored. */
export async function checkProvider(
  reach: ProviderReach,
  draft: ProviderDraft,
  { secret, redirectUri }: { secret: string; redirectUri: string },
): Promise<ProviderCheck> {
  let config: openid.Configuration
  try {
    config = await connectProvider(reach, { ...draft, secret })
  } catch (error) {
    if (error instanceof ProviderFault)
      return told({ problems: [{ field: 'issuer', message: `cannot be used: ${wordsOf(error)}` }] })
    return judgeIssuer(error, draft)
  }
  return trySecret(config, draft, redirectUri)
}
