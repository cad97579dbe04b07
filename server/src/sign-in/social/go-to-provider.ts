import type { BrowserFacts, PageAnswer } from '../../oauth/index.ts'
import { redirectAnswer } from '../answers.ts'
import type { Flow } from '../flow.ts'
import { showSignIn } from '../show-sign-in.ts'
import type { SignInParts } from '../sign-in-parts.ts'
import { type Attempt, makeChecks } from './attempt.ts'
import { authorizationAddress } from './authorization-address.ts'
import type { SocialProvider } from './provider.ts'
import { redirectUriOf } from './provider-addresses.ts'
import { ProviderFault } from './provider-fault.ts'
import { showSocialFault } from './show-fault.ts'
import { insertAttempt } from './social-attempts.store.ts'

/** Where a browser is sent to sign in at a provider, with what it takes to know the answer again put down. Throws a
 *  ProviderFault. */
export async function goToProvider(
  parts: SignInParts,
  { tenant }: BrowserFacts,
  provider: SocialProvider,
  attempt: Pick<Attempt, 'browserHash' | 'purpose' | 'expiresAt'> & { choose: boolean },
): Promise<string> {
  const config = await parts.social.connect(tenant.id, provider)
  const { state, stateHash, checks, sealedChecks } = makeChecks(parts.secrets)
  await insertAttempt(parts.db, tenant.id, {
    stateHash,
    sealedChecks,
    providerId: provider.id,
    browserHash: attempt.browserHash,
    purpose: attempt.purpose,
    createdAt: new Date(parts.nowMs()),
    expiresAt: attempt.expiresAt,
  })
  return authorizationAddress(config, provider.kind, {
    redirectUri: redirectUriOf(parts.publicUrl, tenant.domain, provider.id),
    state,
    checks,
    choose: attempt.choose,
  })
}

/** The offered provider of an id. */
export async function findOffered(
  { social }: SignInParts,
  tenantId: string,
  providerId: string | null,
): Promise<SocialProvider | undefined> {
  return (await social.listOffered(tenantId)).find(({ id }) => id === providerId)
}

/** Sends a browser whose flow signs in by a provider to that provider. */
export async function signInByProvider(
  parts: SignInParts,
  browser: BrowserFacts,
  flow: Flow,
  providerId: string | null,
): Promise<PageAnswer> {
  const { tenant } = browser
  const provider = await findOffered(parts, tenant.id, providerId)
  // Taken away since the page was shown.
  if (!provider) return showSignIn(parts, browser, flow)
  try {
    const address = await goToProvider(parts, browser, provider, {
      browserHash: flow.browserHash,
      purpose: { flowId: flow.id },
      expiresAt: flow.expiresAt,
      choose: flow.prompt !== null,
    })
    return redirectAnswer(address)
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    parts.social.tellFault(tenant, provider, error)
    return showSocialFault(parts, browser, flow, { fault: error.kind, providerName: provider.name })
  }
}
