import type { Database } from '../foundation/database/index.ts'
import type { Members } from '../members/index.ts'
import { type ConsumeCode, codeConsumer, codeStorer, type StoreCode } from './authorization-codes.store.ts'
import type { OAuthClient } from './client.ts'
import { type ClientCache, createClientCache } from './client-cache.ts'
import { codeIssuer, type IssueCode } from './issue-code.ts'
import { probeCodeStorer, type StoreProbeCode } from './probe-codes.store.ts'

/** What the routes of this room stand on. */
export interface OAuthParts {
  db: Database
  clients: ClientCache
  members: Members
  /** The platform's address. */
  publicUrl: URL
  issueCode: IssueCode
  storeCode: StoreCode
  consumeCode: ConsumeCode
  storeProbeCode: StoreProbeCode
  /** Unix milliseconds. */
  nowMs(): number
}

/** What the room offers to the others. */
export interface OAuth {
  /** A tenant's client, enabled or not, from a cache that the database keeps fresh; undefined for an unknown one.
   *  Throws 503 when the database is away. */
  findClient(tenantId: string, clientId: string): Promise<OAuthClient | undefined>
  issueCode: IssueCode
  /** For the routes of this room. */
  parts: OAuthParts
  /** Has every client looked up again before it serves. */
  invalidateClients(): void
}

/** Opens the room on a database. `nowMs` answers Unix milliseconds. */
export function openOAuth(options: {
  db: Database
  members: Members
  publicUrl: URL
  nowMs?: () => number
}): OAuth {
  const { db, members, publicUrl, nowMs = Date.now } = options
  const clients = createClientCache(db, nowMs)
  const storeCode = codeStorer(db)
  const issueCode = codeIssuer(publicUrl, storeCode)
  const storeProbeCode = probeCodeStorer(db)
  return {
    findClient: clients.find,
    issueCode,
    parts: {
      db,
      clients,
      members,
      publicUrl,
      issueCode,
      storeCode,
      storeProbeCode,
      consumeCode: codeConsumer(db),
      nowMs,
    },
    invalidateClients: clients.invalidate,
  }
}
