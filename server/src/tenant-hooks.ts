import { eventHooks } from './events/index.ts'
import { clientHooks } from './oauth/index.ts'
import { type ProviderDeclaring, providerHooks } from './sign-in/index.ts'
import type { TenantHooks } from './tenancy/index.ts'

/** What the rooms do when tenants are made or changed: before the transaction of the change, and in it. */
export const tenantHooks = (declaring: ProviderDeclaring): TenantHooks => ({
  ...eventHooks,
  ...clientHooks,
  ...providerHooks(declaring),
})
