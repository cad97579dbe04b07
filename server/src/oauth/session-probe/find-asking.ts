import type { OAuthClient } from '../client.ts'
import type { Probe } from './probe.ts'

/** A sentence of interface 4.8, or of decisions ("Silent sign-in"), by which a probe is refused. */
interface Refusal<Given> {
  sentence: string
  holds(given: Given): boolean
}

/** What is seen of the request alone, before anything is looked up. */
const ofRequest: readonly Refusal<Probe>[] = [
  { sentence: 'no Origin header', holds: ({ origin }) => origin === '' },
  // No browser does that: one of them is somebody else's.
  { sentence: 'Origin sent twice', holds: ({ originCount }) => originCount > 1 },
  // Of a sandboxed frame, a file or a redirect, whoever's it is: it names nobody.
  { sentence: 'Origin null', holds: ({ origin }) => origin === 'null' },
  { sentence: 'no client_id', holds: ({ clientIds }) => !clientIds[0] },
  { sentence: 'client_id sent twice', holds: ({ clientIds }) => clientIds.length > 1 },
]

/** What is seen of the client that client_id names. */
const ofClient: readonly Refusal<{ client: OAuthClient; origin: string }>[] = [
  { sentence: 'client disabled', holds: ({ client }) => !client.enabled },
  { sentence: 'client has no registered origins', holds: ({ client }) => client.allowedOrigins.length === 0 },
  {
    // Byte for byte, so one that only ends as a registered one does is another.
    sentence: 'origin not registered against this client',
    holds: ({ client, origin }) => !client.allowedOrigins.includes(origin),
  },
]

/** The client of a probe that is not refused, with `findClient` to look it up; undefined for one that is. */
export async function findAsking(
  probe: Probe,
  findClient: (
    tenantId: string,
    clientId: string,
  ) => OAuthClient | undefined | Promise<OAuthClient | undefined>,
): Promise<OAuthClient | undefined> {
  if (ofRequest.some(({ holds }) => holds(probe))) return undefined
  const { tenant, origin, clientIds } = probe
  const client = await findClient(tenant.id, clientIds[0] ?? '')
  // Nonexistent.
  if (!client) return undefined
  return ofClient.some(({ holds }) => holds({ client, origin })) ? undefined : client
}
