import { deviceSessionS } from './device-session.ts'

export interface CookieOptions {
  /** USHER_COOKIE_NAME */
  name: string
  /** The tenant's Cookie Domain; null: the cookie is the exact host's. */
  cookieDomain: string | null
  /** The tenant's canonical domain, where the cookie is set. */
  host: string
  /** Under https. */
  secure: boolean
}

/** The values of Set-Cookie that put a device token into a browser, or with `null` take it out (interface 5): SameSite=Lax,
 *  and readable for scripts, as the SDK reads it. A browser keeps a host's cookie and a domain's of one name side by
 *  side, so a write clears the other scope. */
export function sessionCookies(
  { name, cookieDomain, host, secure }: CookieOptions,
  token: string | null,
): string[] {
  const attributes = `SameSite=Lax${secure ? '; Secure' : ''}`
  const cookie = (domain: string | null, value: string, maxAgeS: number): string =>
    `${name}=${value}; Path=/;${domain === null ? '' : ` Domain=${domain};`} Max-Age=${maxAgeS}; ${attributes}`
  const other = cookieDomain === null ? host : null
  return [
    // First: a browser for which both scopes are one cookie keeps what comes last.
    cookie(other, '', 0),
    token === null ? cookie(cookieDomain, '', 0) : cookie(cookieDomain, token, deviceSessionS),
  ]
}

/** The values of all cookies of a name in a Cookie header, in its order (RFC 6265 4.2.1). */
export function cookieValues(header: string | undefined, name: string): string[] {
  if (header === undefined) return []
  return header.split(';').flatMap(pair => {
    const [key, ...value] = pair.split('=')
    return key?.trim() === name ? [value.join('=').trim()] : []
  })
}
