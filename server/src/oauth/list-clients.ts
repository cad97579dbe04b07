import type { ClientResource } from '@usher/contract'
import type { Database } from '../foundation/database/index.ts'
import { notFound } from '../foundation/http/index.ts'
import { toClientResource } from './client-resource.ts'
import { isClientId } from './client-rules.ts'
import { findClient, listClients } from './clients.store.ts'

/** A tenant's clients, the oldest first. */
export async function listClientResources(db: Database, tenantId: string): Promise<ClientResource[]> {
  return (await listClients(db, tenantId)).map(client => toClientResource(client))
}

export const noSuchClient = () => notFound('The tenant has no client with this client_id.')

/** One of a tenant's clients. Throws 404. */
export async function getClientResource(
  db: Database,
  tenantId: string,
  clientId: string,
): Promise<ClientResource> {
  const client = isClientId(clientId) ? await findClient(db, tenantId, clientId) : undefined
  if (!client) throw noSuchClient()
  return toClientResource(client)
}
