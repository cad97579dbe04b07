import type { Tenant } from '../../tenancy/index.ts'

/** Where a request to the session probe, or its preflight, comes from. */
export interface Probe {
  tenant: Tenant
  /** Every client_id that was sent. */
  clientIds: readonly string[]
  /** The first, if several were sent; "" for none. */
  origin: string
  originCount: number
}

/** The browser that asks who is signed in on it. */
export interface AskingBrowser {
  cookieHeader: string | undefined
  userAgent: string
  /** The client's address, "" when its socket is gone. */
  address: string
}
