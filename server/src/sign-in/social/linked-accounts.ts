import type { Tenant } from '../../tenancy/index.ts'
import type { SignInParts } from '../sign-in-parts.ts'
import type { Identity } from './identity.ts'
import { listIdentities } from './member-identities.store.ts'
import type { SocialProvider } from './provider.ts'

/** Whether an account still signs in: its provider is offered, and is the one that it came from. */
const signsIn = (identity: Identity, offered: readonly SocialProvider[]): boolean =>
  offered.some(
    ({ id, kind, issuer }) =>
      // Microsoft names an issuer for each organization.
      id === identity.providerId && (kind === 'microsoft' || issuer === identity.issuer),
  )

/** Whether a member could still sign in without one of the accounts. Mail counts while the tenant sends any. */
export function keepsWayIn(
  tenant: Tenant,
  offered: readonly SocialProvider[],
  identities: readonly Identity[],
  withoutId: string,
): boolean {
  if (tenant.signIn.loginMethods.length > 0) return true
  return identities.some(identity => identity.id !== withoutId && signsIn(identity, offered))
}

/** A member's accounts as the account page has them. */
export interface LinkedAccounts {
  accounts: {
    id: string
    providerName: string
    label: string
    /** False for the only way in. */
    canUnlink: boolean
  }[]
  /** Providers of which the member has no account yet. */
  linkable: { id: string; name: string }[]
}

export async function listLinkedAccounts(
  { db, social }: SignInParts,
  tenant: Tenant,
  memberId: string,
): Promise<LinkedAccounts> {
  const offered = await social.listOffered(tenant.id)
  const identities = await listIdentities(db, tenant.id, memberId)
  return {
    accounts: identities.map(identity => ({
      id: identity.id,
      providerName:
        offered.find(({ id }) => id === identity.providerId)?.name ?? new URL(identity.issuer).hostname,
      label: identity.label,
      canUnlink: keepsWayIn(tenant, offered, identities, identity.id),
    })),
    linkable: offered.filter(({ id }) => !identities.some(({ providerId }) => providerId === id)),
  }
}
