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

/** How a tenant signs its members in; `sign_up`, `login_methods`, `access_token_ttl_s` and `mail_from` of the
 *  platform file. */
export interface SignInSettings {
  /** Closed: only addresses that are members already get in. */
  signUp: 'open' | 'closed'
  /** What a sign-in mail carries: its link, its code, or both; none where members sign in by social providers alone. */
  loginMethods: readonly LoginMethod[]
  accessTokenTtlS: number
  /** The sender of the tenant's mail; null: the installation's. */
  mailFrom: string | null
}

export const loginMethods = ['magic_link', 'one_time_code'] as const
export type LoginMethod = (typeof loginMethods)[number]

export const defaultSignInSettings: SignInSettings = {
  signUp: 'open',
  loginMethods,
  accessTokenTtlS: 2_592_000,
  mailFrom: null,
}

/** How a tenant's pages and mails look; `branding:` of the platform file. */
export interface Branding {
  /** `#rrggbb`, lower case; null: the platform's own. */
  color: string | null
  logoUrl: string | null
  /** Languages of the pages, the first one where a browser asks for none of them; empty: all that there are. */
  languages: readonly Language[]
}

export const languages = ['en', 'de', 'fr', 'es'] as const
export type Language = (typeof languages)[number]

export interface Tenant {
  id: string
  slug: string
  name: string
  /** The canonical domain, lower case, without a port. */
  domain: string
  createdAt: Date
  suspended: boolean
  /** The Domain of the session cookie; null: the cookie is the exact host's. */
  cookieDomain: string | null
  signIn: SignInSettings
  branding: Branding
  events: EventSettings
}

/** What the hostname of a request names. */
export type Site =
  | { kind: 'platform' }
  | { kind: 'tenant'; tenant: Tenant; canonical: boolean }
  | { kind: 'unknown' }
