import type { SocialProviderKind } from '@usher/contract'

/** What an administrator can change of a provider, but for its secret. */
export interface ProviderSettings {
  /** What members read. */
  name: string
  issuer: string
  /** What the tenant is called there. */
  clientId: string
  /** Of Apple: whose key it is, and which. */
  teamId: string | null
  keyId: string | null
  /** Whether members are offered it. */
  enabled: boolean
}

/** An account elsewhere by which a tenant's members can sign in. */
export interface SocialProvider extends ProviderSettings {
  /** Stands in its redirect URI, so it never changes. */
  id: string
  kind: SocialProviderKind
  /** See provider-secret.ts. */
  sealedSecret: Buffer
  createdAt: Date
  updatedAt: Date
  secretChangedAt: Date
}
