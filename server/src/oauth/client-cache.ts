import type { Database } from '../foundation/database/index.ts'
import { createLookups } from '../foundation/lookups.ts'
import type { OAuthClient } from './client.ts'
import { isClientId } from './client-rules.ts'
import { findClients } from './clients.store.ts'

/** Clients by tenant and id, so that a request need not ask the database for them. */
export interface ClientCache {
  /** A tenant's client, enabled or not; undefined for an unknown one. Throws 503 when the database is away. */
  find(tenantId: string, clientId: string): Promise<OAuthClient | undefined>
  /** The same, as the database has it now. */
  findFresh(tenantId: string, clientId: string): Promise<OAuthClient | undefined>
  /** A client as it was known last, however long ago; asks nobody. */
  last(tenantId: string, clientId: string): OAuthClient | undefined
  invalidate(): void
}

// A client's id has no space.
const keyOf = (tenantId: string, clientId: string): string => `${tenantId} ${clientId}`
const readKey = (key: string) => {
  const [tenantId = '', clientId = ''] = key.split(' ', 2)
  return { tenantId, clientId }
}

/** A cache that lives at most ten seconds past a change of which nobody told. */
export function createClientCache(db: Database, nowMs: () => number): ClientCache {
  const lookups = createLookups<OAuthClient>({
    async loadMany(keys) {
      const found = await findClients(db, keys.map(readKey))
      return new Map(found.map(({ tenantId, client }) => [keyOf(tenantId, client.clientId), client]))
    },
    refreshAfterMs: 5_000,
    expireAfterMs: 10_000,
    maxEntries: 10_000,
    deadlineMs: 2_000,
    reachability: { awayUntil: 0 },
    nowMs,
  })
  return {
    async find(tenantId, clientId) {
      if (!isClientId(clientId)) return undefined
      const key = keyOf(tenantId, clientId)
      const recent = lookups.recent(key)
      return recent ? recent.value : lookups.load(key)
    },
    async findFresh(tenantId, clientId) {
      return isClientId(clientId) ? lookups.load(keyOf(tenantId, clientId), { fresh: true }) : undefined
    },
    last: (tenantId, clientId) => lookups.last(keyOf(tenantId, clientId))?.value,
    invalidate: lookups.invalidate,
  }
}
