import { bothWays, type Check } from './check.ts'

/** The tenant answers (decisions, "Addresses"). */
export const checkTenant: Check = {
  name: 'tenant',
  examine: ({ tenant, tenantOrigin }) => ({
    good: `${tenant.name} answers at ${tenantOrigin}.`,
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
