/** How a tenant's events are treated; `events:` of the platform file. */
export interface EventSettings {
  /** Days that the log keeps an event. */
  retentionDays: number
  /** Days that an unread event waits in a queue. */
  queueRetentionDays: number
  /** Store IPv4 as its /24 and IPv6 as its /48. */
  shortenAddresses: boolean
  /** Known bots are recorded with a mark, or not at all. */
  bots: 'mark' | 'drop'
  /** Hosts of pages whose events are accepted; empty accepts any. */
  siteHosts: readonly string[]
  /** Query parameters that are cut from URLs, beside the ones that always are. */
  secretParameters: readonly string[]
}

export const defaultEventSettings: EventSettings = {
  retentionDays: 400,
  queueRetentionDays: 30,
  shortenAddresses: false,
  bots: 'mark',
  siteHosts: [],
  secretParameters: [],
}

export interface Tenant {
  id: string
  slug: string
  name: string
  /** The canonical domain, lower case, without a port. */
  domain: string
  createdAt: Date
  suspended: boolean
  events: EventSettings
}

/** What the hostname of a request names. */
export type Site =
  | { kind: 'platform' }
  | { kind: 'tenant'; tenant: Tenant; canonical: boolean }
  | { kind: 'unknown' }
