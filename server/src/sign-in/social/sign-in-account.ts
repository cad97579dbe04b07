import type { DatabaseTransaction } from '../../foundation/database/index.ts'
import { uuidv7 } from '../../foundation/uuid.ts'
import type { BrowserFacts, PageAnswer } from '../../oauth/index.ts'
import { redirectAnswer } from '../answers.ts'
import { signIn } from '../complete-flow.ts'
import { type Flow, flowPaths } from '../flow.ts'
import type { SignInParts } from '../sign-in-parts.ts'
import type { ProviderAccount } from './identity.ts'
import { findIdentity, insertIdentity, noteUse } from './member-identities.store.ts'
import type { SocialProvider } from './provider.ts'
import { showSocialFault } from './show-fault.ts'

/** The member of an account: whose it is already, or the one of its address, if the provider says that it is this
 *  person's. `unverified` when neither is known; undefined when the member may not be made. */
async function findOrJoin(
  trx: DatabaseTransaction,
  { members }: SignInParts,
  tenant: BrowserFacts['tenant'],
  { provider, account, now }: { provider: SocialProvider; account: ProviderAccount; now: Date },
): Promise<string | undefined | 'unverified'> {
  const use = { providerId: provider.id, label: account.label, now }
  const known = await findIdentity(trx, tenant.id, account)
  if (known) {
    await noteUse(trx, tenant.id, known.id, use)
    return known.memberId
  }
  if (account.verifiedEmail === null) return 'unverified'
  const member = await members.findOrCreateMember(trx, tenant, account.verifiedEmail, now)
  if (!member) return undefined
  const { issuer, subject, label } = account
  const identity = {
    id: uuidv7(),
    memberId: member.id,
    issuer,
    subject,
    providerId: provider.id,
    label,
    createdAt: now,
  }
  if (await insertIdentity(trx, tenant.id, identity)) return member.id
  // It was linked in this very moment.
  return (await findIdentity(trx, tenant.id, account))?.memberId
}

/** Goes on with a flow as the member of an account at a provider (decisions, "Signing in"). */
export async function signInAccount(
  parts: SignInParts,
  browser: BrowserFacts,
  flow: Flow,
  { provider, account }: { provider: SocialProvider; account: ProviderAccount },
): Promise<PageAnswer> {
  let isUnverified = false
  const answer = await signIn(parts, browser, flow, async (trx, now) => {
    const found = await findOrJoin(trx, parts, browser.tenant, { provider, account, now })
    isUnverified = found === 'unverified'
    if (found !== undefined && !isUnverified)
      await parts.members.suggestName(trx, browser.tenant.id, { memberId: found, name: account.name })
    // The page is made afterwards.
    return isUnverified ? { answer: redirectAnswer(flowPaths(flow.id).start) } : { memberId: found }
  })
  return isUnverified
    ? showSocialFault(parts, browser, flow, { fault: 'unverified', providerName: provider.name })
    : answer
}
