import { hash } from 'node:crypto'
import { randomText } from '../foundation/random-text.ts'
import { flowKeptMs, flowLifetimeMs } from './flow.ts'

/** The cookie by which a browser is known to be the one that began a flow. */
export interface BrowserCookie {
  /** SHA-256 of its value, which a flow is bound to. */
  hash: Buffer
  /** Set-Cookie, with which it is kept for as long as a flow begun now can be begun anew. */
  setCookie: string
}

const VALUE = /^[A-Za-z0-9_-]{43}$/
const MAX_AGE_S = (flowLifetimeMs + flowKeptMs) / 1_000

// __Host- keeps sibling hosts from planting one that they know (RFC 6265bis 4.1.3.2); it needs Secure.
const nameFor = (secure: boolean): string => (secure ? '__Host-usher-browser' : 'usher-browser')
const hashOf = (value: string): Buffer => hash('sha256', value, 'buffer')

function readValue(cookieHeader: string | undefined, secure: boolean): string | undefined {
  const name = `${nameFor(secure)}=`
  const pair = cookieHeader?.split(';').find(part => part.trim().startsWith(name))
  const value = pair?.trim().slice(name.length)
  return value !== undefined && VALUE.test(value) ? value : undefined
}

/** The hash of the browser's cookie; undefined when it has none. `secure`: the pages are under https. */
export function browserHash(cookieHeader: string | undefined, secure: boolean): Buffer | undefined {
  const value = readValue(cookieHeader, secure)
  return value === undefined ? undefined : hashOf(value)
}

/** The browser's cookie, so that its windows can be in flows side by side, or a new one. */
export function keepBrowserCookie(cookieHeader: string | undefined, secure: boolean): BrowserCookie {
  const value = readValue(cookieHeader, secure) ?? randomText(32)
  return {
    hash: hashOf(value),
    setCookie: `${nameFor(secure)}=${value}; Path=/; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`,
  }
}
