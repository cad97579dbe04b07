import type { Properties, Usher } from './api.ts'
import { guard } from './guard.ts'
import { silent, startUsher } from './start.ts'

export type { Properties, Usher }

/** What a site says of its pages. */
export interface StartOptions {
  /** The tenant's address, as in `https://members.example.com`. */
  origin: string
  /** Where events are sent, relative to the page, if not to the tenant's own address: a path of the site's own host
   *  that passes them on. */
  endpoint?: string
  /** Hold everything back, in memory alone, until `consent(true)` is called. */
  needsConsent?: boolean
  /** The cookie that holds the member's token, where the installation has given it another name. */
  cookieName?: string
}

let started: Usher | undefined

/** Starts counting on this page, once: a second call gives what the first one gave. Never throws; where there is
 *  no page, as on a server, and where the reader does not want to be tracked, its calls do nothing. */
export function start({
  origin,
  endpoint,
  needsConsent = false,
  cookieName = '_SERVICET',
}: StartOptions): Usher {
  if (started || typeof window === 'undefined') return started ?? silent
  started = silent
  guard(() => {
    const url = endpoint === undefined ? new URL('/api/sdk/events', origin) : new URL(endpoint, location.href)
    started = startUsher({ endpoint: url.href, cookieName, needsConsent })
  })()
  return started
}
