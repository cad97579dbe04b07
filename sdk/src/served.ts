/** What the server puts here when it serves a script: a page that names an alias sends to the canonical domain. */
const origin = '{{tenant_origin}}'
const cookieName = '{{cookie_name}}'

/** The tenant's address, from that of the script in a copy that somebody else serves, which was given none. */
export const tenantAddress = (script: HTMLScriptElement | null): string | undefined =>
  origin.startsWith('http') ? origin : script?.src

/** The cookie that holds the member's token. */
export const memberCookieName: string = cookieName.startsWith('{') ? '_SERVICET' : cookieName
