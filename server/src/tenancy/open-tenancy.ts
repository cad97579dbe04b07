import { listen, openDatabase } from '../foundation/database/index.ts'
import type { Reachability } from '../foundation/lookups.ts'
import { createSites, type Sites } from './resolve-site.ts'
import { createKeys, type Keys } from './verify-key.ts'

/** What the room keeps while the program runs: the caches of hosts and keys. */
export interface Tenancy {
  sites: Sites
  keys: Keys
  /** Calls `listener` when the table of a tenant's settings, keys or clients changed, and when that may have gone
   *  unnoticed. */
  onChange(listener: () => void): void
  /** Lets go of the database. */
  close(): Promise<void>
}

export interface TenancyOptions {
  databaseUrl: string
  /** A direct URL, not one of a pooler, to be told of changes on. */
  directUrl: string
  /** The platform's host, lower case, without a port. */
  platformHost: string
  /** Unix milliseconds. */
  nowMs?: () => number
  /** Called when the connection that tells of changes is lost; until it is back, a change shows late. */
  onLost?: (error: Error) => void
}

// Every request waits for these look-ups, so one that hangs is soon over.
const CONNECT_TIMEOUT_MS = 1_000
const STATEMENT_TIMEOUT_MS = 1_000

/** Starts to resolve hosts and verify keys, on connections of its own: a pool that is used up does not keep
 *  requests from being let in or refused. Needs no database to start. */
export function openTenancy(options: TenancyOptions): Tenancy {
  const { databaseUrl, directUrl, platformHost, nowMs = Date.now, onLost } = options
  const { db, close } = openDatabase({
    url: databaseUrl,
    maxConnections: 2,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    applicationName: 'usher edge',
  })
  const reachability: Reachability = { awayUntil: 0 }
  const sites = createSites({ db, platformHost, reachability, nowMs })
  const keys = createKeys({ db, reachability, nowMs })
  const listeners = [sites.invalidate, keys.invalidate]
  const listener = listen({
    url: directUrl,
    channel: 'usher_tenancy',
    onNotice() {
      for (const invalidate of listeners) invalidate()
    },
    ...(onLost && { onLost }),
  })
  return {
    sites,
    keys,
    onChange: added => {
      listeners.push(added)
    },
    async close() {
      await listener.close()
      await close()
    },
  }
}
