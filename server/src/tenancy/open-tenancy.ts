import { type Database, listen } from '../foundation/database/index.ts'
import type { Reachability } from './lookups.ts'
import { createSites, type Sites } from './resolve-site.ts'
import { createKeys, type Keys } from './verify-key.ts'

/** What the room keeps while the program runs: the caches of hosts and keys. */
export interface Tenancy {
  sites: Sites
  keys: Keys
  /** Stops listening to changes. */
  close(): Promise<void>
}

export interface TenancyOptions {
  db: Database
  /** A direct URL, not one of a pooler, to be told of changes on. */
  directUrl: string
  /** The platform's host, lower case, without a port. */
  platformHost: string
  /** Unix milliseconds. */
  nowMs?: () => number
  /** Called when the connection that tells of changes is lost; until it is back, a change shows late. */
  onLost?: (error: Error) => void
}

/** Starts to resolve hosts and verify keys. Needs no database to start. */
export function openTenancy({
  db,
  directUrl,
  platformHost,
  nowMs = Date.now,
  onLost,
}: TenancyOptions): Tenancy {
  const reachability: Reachability = { awayUntil: 0 }
  const sites = createSites({ db, platformHost, reachability, nowMs })
  const keys = createKeys({ db, reachability, nowMs })
  const listener = listen({
    url: directUrl,
    channel: 'usher_tenancy',
    onNotice() {
      sites.invalidate()
      keys.invalidate()
    },
    ...(onLost && { onLost }),
  })
  return { sites, keys, close: listener.close }
}
