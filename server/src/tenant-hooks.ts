import { eventHooks } from './events/index.ts'
import { clientHooks } from './oauth/index.ts'
import type { TenantHooks } from './tenancy/index.ts'

/** What the rooms do when tenants are made or changed, in the transaction of the change. */
export const tenantHooks: TenantHooks = { ...eventHooks, ...clientHooks }
