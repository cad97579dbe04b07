import type { SocialProviderKind } from '@usher/contract'
import { authorizationCodeGrant, type Configuration, fetchUserInfo } from 'openid-client'
import { parseEmailAddress } from '../email-address.ts'
import { nameOfAppleUser } from './apple-user.ts'
import type { Checks } from './attempt.ts'
import { askGithub } from './github.ts'
import type { ProviderAccount } from './identity.ts'
import { ProviderFault, toProviderFault } from './provider-fault.ts'

type Claims = Readonly<Record<string, unknown>>

/** Whether the address of these claims is one of which the provider says that it is this person's. */
function isVerified(kind: SocialProviderKind, claims: Claims): boolean {
  // Microsoft's `email` is what an administrator of any organization has typed; only of an address with this claim it
  // says that the owner of its domain stands behind it (docs/adr/0019).
  if (kind === 'microsoft') return [true, 1, 'true', '1'].some(yes => claims.xms_edov === yes)
  return claims.email_verified === true || (kind === 'apple' && claims.email_verified === 'true')
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value ? value : undefined

async function askOpenId(
  config: Configuration,
  kind: SocialProviderKind,
  tokens: Awaited<ReturnType<typeof authorizationCodeGrant>>,
): Promise<ProviderAccount> {
  const claims = tokens.claims()
  if (!claims) throw new ProviderFault('faulty', 'There was no id_token.')
  // The address and what is said of it come from one place.
  const profile: Claims =
    claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
      ? await fetchUserInfo(config, tokens.access_token, claims.sub)
      : claims
  const email = textOf(profile.email)
  return {
    issuer: claims.iss,
    subject: claims.sub,
    verifiedEmail: email !== undefined && isVerified(kind, profile) ? email : null,
    label: email ?? textOf(profile.preferred_username) ?? textOf(profile.name) ?? claims.sub,
    name: textOf(profile.name) ?? textOf(claims.name) ?? null,
  }
}

const LABEL_LENGTH = 200
/** What a database can hold, and a person has (OpenID Connect Core 2: at most 255 characters). */
const SUBJECT = /^\P{Cc}{1,255}$/u

function clean(account: ProviderAccount): ProviderAccount {
  if (!SUBJECT.test(account.subject) || !account.subject.isWellFormed())
    throw new ProviderFault('faulty', 'The subject cannot be read.')
  const label = account.label
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, LABEL_LENGTH)
    .trim()
  return {
    ...account,
    verifiedEmail: (account.verifiedEmail && parseEmailAddress(account.verifiedEmail)) || null,
    label: label || account.subject,
  }
}

/** Who came back: exchanges the code of an authorization response for what the provider says of the person (OpenID
 *  Connect Core 3.1.3). Issuer, audience, signature, times and nonce are looked at, and of the response the state and,
 *  where the provider sends it, `iss` (RFC 9207). `response` is the redirect URI with all that came. Throws a
 *  ProviderFault. */
export async function askAccount(
  config: Configuration,
  provider: { kind: SocialProviderKind; issuer: string },
  { response, state, checks }: { response: URL; state: string; checks: Checks },
): Promise<ProviderAccount> {
  const isOpenId = provider.kind !== 'github'
  try {
    const tokens = await authorizationCodeGrant(config, response, {
      expectedState: state,
      pkceCodeVerifier: checks.codeVerifier,
      ...(isOpenId && { expectedNonce: checks.nonce, idTokenExpected: true }),
    })
    if (!isOpenId) return clean(await askGithub(config, tokens.access_token, provider.issuer))
    const account = clean(await askOpenId(config, provider.kind, tokens))
    return provider.kind === 'apple'
      ? { ...account, name: nameOfAppleUser(response.searchParams.get('user')) }
      : account
  } catch (error) {
    throw toProviderFault(error)
  }
}
