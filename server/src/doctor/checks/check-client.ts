import { findNear } from '../../foundation/find-near.ts'
import { bothWays, type Check, type Examined, type Finding } from './check.ts'

const MAX_NAMED = 3

/** What to do about a client_id that the tenant does not know. */
function adviceFor({ clientId, clients, tenant }: Examined): string {
  const ids = clients.map(client => client.clientId)
  const near = findNear(clientId, ids)
  if (near.length > 0)
    return `Did you mean ${near.join(' or ')}? It is compared letter by letter, also upper and lower case.`
  if (ids.length === 0) return `Register it: tenant ${tenant.slug} has no client yet.`
  const named = ids.slice(0, MAX_NAMED).join(', ')
  return `Register it, or use one that there is: ${named}${ids.length > MAX_NAMED ? ' and others' : ''}.`
}

function findingOf(examined: Examined): Finding | undefined {
  const { client, clientId, tenant } = examined
  const blocks = { severity: 'blocks', affects: bothWays } as const
  if (!client)
    return {
      ...blocks,
      code: 'client_unknown',
      problem: `Tenant ${tenant.slug} has no client ${clientId}.`,
      change: adviceFor(examined),
    }
  if (client.enabled) return undefined
  return {
    ...blocks,
    code: 'client_disabled',
    problem: `Client ${clientId} is disabled: the probe is refused, and prompt=none ends on an error page.`,
    change: `Enable client ${clientId}: enabled: true in the platform file (leaving the line out changes nothing), or by PATCH /api/v1/oauth-clients/${clientId}.`,
  }
}

/** The client is known and enabled (interface 2.5). */
export const checkClient: Check = {
  name: 'client',
  examine: examined => {
    const finding = findingOf(examined)
    return { good: `Client ${examined.clientId} is enabled.`, findings: finding ? [finding] : [] }
  },
}
