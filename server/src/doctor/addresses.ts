import { getDomain } from 'tldts'

/** Where silent sign-in is to work. */
export interface SiteAddress {
  /** As somebody wrote it. */
  written: string
  /** As browsers send it. */
  origin: string
  /** Without a port. */
  host: string
  isHttps: boolean
  /** The page to open for a look, without its fragment. */
  page: string
}

/** Where the site asks, by its own account. */
export interface AskedHost {
  /** As somebody wrote it. */
  written: string
  host: string
  /** Where a whole address was written. */
  origin: string | undefined
  /** Where one was written behind the host alone. */
  port: string | undefined
}

const MAX_LENGTH = 2_048
/** Spaces, control characters and backslashes are dropped or changed by URL parsers, each in its own way. */
const WRITTEN = /^[^\s\p{Cc}\\]+$/u
const HOST = /^(?=.{1,253}$)(?:(?!-)[a-z0-9_-]{1,63}(?<!-)\.)+(?!-)[a-z0-9_-]{1,63}(?<!-)$/i

function parseAddress(text: string): URL | undefined {
  if (text.length > MAX_LENGTH || !WRITTEN.test(text) || !text.isWellFormed()) return undefined
  if (!/^https?:\/\//i.test(text)) return undefined
  const url = URL.parse(text)
  return url && url.username === '' && url.password === '' ? url : undefined
}

/** Reads the address of a site; undefined unless it is one with http or https. A path is taken, and left out of the
 *  origin. */
export function readSite(text: string): SiteAddress | undefined {
  const url = parseAddress(text)
  if (!url) return undefined
  const { origin, hostname: host, protocol, pathname, search } = url
  return { written: text, origin, host, isHttps: protocol === 'https:', page: origin + pathname + search }
}

const isHost = (text: string): boolean => HOST.test(text) || text.toLowerCase() === 'localhost'

/** Whether a host is this machine to every browser. */
export const onThisMachine = (host: string): boolean =>
  /(?:^|\.)localhost$/.test(host) || /^127\./.test(host) || host === '[::1]'

/** What is wrong with a text that is no address of a site, to be read after its name: with the address that was meant,
 *  where only the scheme is missing. */
export function siteProblem(text: string): string {
  const site = readSite(`https://${text}`)
  if (!site || !isHost(site.host))
    return 'must be an address with http or https, such as https://news.example.com.'
  const meant = onThisMachine(site.host) ? `http://${text}` : `https://${text}`
  return `must be an address with http or https: is ${meant} meant?`
}

/** Reads where the site asks: a host name, with its port or without, or an address. Undefined unless it is one. */
export function readAskedHost(text: string): AskedHost | undefined {
  const url = parseAddress(text)
  if (url) return { written: text, host: url.hostname, origin: url.origin, port: undefined }
  const [, name = '', port] = /^([^:]*)(?::(\d{1,5}))?$/.exec(text) ?? []
  if (!isHost(name) || Number(port ?? 0) > 65_535) return undefined
  return { written: text, host: name.toLowerCase(), origin: undefined, port }
}

/** What a host belongs to, as browsers decide whether two hosts are same-site: its registrable domain, or itself where
 *  it has none (an address, a public suffix). Suffixes under which a company lets strangers register count as public. */
export const siteOf = (host: string): string => getDomain(host, { allowPrivateDomains: true }) ?? host

/** Whether a cookie of a domain is sent to a host (RFC 6265 5.1.3). */
export const isCovered = (host: string, cookieDomain: string): boolean =>
  host === cookieDomain || host.endsWith(`.${cookieDomain}`)

/** The nearest domain that two hosts of one site have in common. */
export function sharedDomain(one: string, other: string): string {
  const labels = one.split('.')
  const shared = labels.map((_, at) => labels.slice(at).join('.')).find(domain => isCovered(other, domain))
  return shared ?? siteOf(one)
}
