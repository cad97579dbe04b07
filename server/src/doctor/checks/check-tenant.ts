import { bothWays, type Check } from './check.ts'

/** The tenant answers (decisions, "Addresses"). */
export const checkTenant: Check = {
  name: 'tenant',
  examine: ({ tenant, tenantOrigin }) => ({
    // Nobody was asked there.
    good: `The address of ${tenant.name} is ${tenantOrigin}, by USHER_PUBLIC_URL (USHER_PORT where that is not set).`,
    findings: tenant.suspended
      ? [
          {
            code: 'tenant_suspended',
            severity: 'blocks',
            affects: bothWays,
            problem: `Tenant ${tenant.slug} is suspended: all of its addresses answer 403.`,
            change: `Let it go on: usher resume ${tenant.slug}`,
          },
        ]
      : [],
  }),
}
