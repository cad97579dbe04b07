import type { FastifyContextConfig } from 'fastify'
import type { JsonObject } from './json.ts'

type RouteSite = NonNullable<FastifyContextConfig['site']>

/** Where each kind of route is served. */
export interface Servers {
  all: JsonObject[]
  /** Undefined where all of them serve it. */
  of(site: RouteSite): JsonObject[] | undefined
}

/** The platform's address, and the tenants' with their domain as a variable: their scheme and port are the
 *  platform's (decisions, "Addresses"). */
export function serversAt(publicUrl: URL): Servers {
  const platform = { url: publicUrl.origin, description: 'The platform.' }
  const port = publicUrl.port && `:${publicUrl.port}`
  const tenant = {
    url: `${publicUrl.protocol}//{tenant_domain}${port}`,
    description: "A tenant's domain.",
    variables: {
      tenant_domain: {
        // The demo's, where there is one.
        default: publicUrl.hostname.endsWith('.localhost') ? 'members.acme.localhost' : 'members.example.com',
        description: "The tenant's canonical domain.",
      },
    },
  }
  const some: Partial<Record<RouteSite, JsonObject[]>> = { platform: [platform], tenant: [tenant] }
  return { all: [platform, tenant], of: site => some[site] }
}
