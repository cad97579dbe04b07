/** A page's address as it may be stored. */
export interface PageUrl {
  url: string
  hostname: string
  path: string
}

/** Query parameters that carry credentials, whatever the tenant lists (decisions, "Events"). */
const alwaysSecret: readonly string[] = ['access_token', 'id_token', 'refresh_token', 'password']

/** The names of a tenant's secret parameters, lower case, with the ones that always are. */
export function secretParameterNames(listed: readonly string[]): ReadonlySet<string> {
  return new Set([...alwaysSecret, ...listed.map(name => name.toLowerCase())])
}

/** Reads a page URL: hostname and path as the WHATWG parser gives them, the URL as sent without its
 *  credentials. Undefined when it is not an absolute http or https URL. */
export function readPageUrl(sent: string, secrets: ReadonlySet<string>): PageUrl | undefined {
  // The parser would skip these silently, and what is stored would not be what was parsed.
  if (/[\s\p{Cc}]/u.test(sent)) return undefined
  const parsed = URL.parse(sent)
  if (!parsed || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) return undefined
  let url = sent
  if (parsed.username !== '' || parsed.password !== '') url = withoutUserinfo(sent, parsed)
  if (parsed.search !== '' || parsed.hash !== '') url = withoutSecrets(url, secrets)
  return { url, hostname: parsed.hostname, path: parsed.pathname }
}

function withoutUserinfo(sent: string, parsed: URL): string {
  const cut = sent.replace(/^([a-z]+:[/\\]*)[^/\\?#]*@/i, '$1')
  const again = URL.parse(cut)
  if (again && again.username === '' && again.password === '' && again.host === parsed.host) return cut
  // Some spelling that the pattern does not know: the parser's own form is safe.
  parsed.username = ''
  parsed.password = ''
  return parsed.href
}

/** Cuts secret parameters from the query and from a fragment of the same form, where the implicit
 *  flow puts tokens (RFC 6749 4.2.2). */
function withoutSecrets(url: string, secrets: ReadonlySet<string>): string {
  const hashAt = url.indexOf('#')
  const beforeHash = hashAt < 0 ? url : url.slice(0, hashAt)
  const queryAt = beforeHash.indexOf('?')
  let result = queryAt < 0 ? beforeHash : beforeHash.slice(0, queryAt)
  if (queryAt >= 0) result += withMark('?', beforeHash.slice(queryAt + 1), secrets)
  if (hashAt >= 0) result += withMark('#', url.slice(hashAt + 1), secrets)
  return result
}

function withMark(mark: string, parameters: string, secrets: ReadonlySet<string>): string {
  const pairs = parameters.split('&')
  const names = pairs.map(nameOf)
  const hasState = names.includes('state')
  const kept = pairs.filter((_, at) => {
    const name = names[at] ?? ''
    return !secrets.has(name) && !(hasState && name === 'code')
  })
  if (kept.length === pairs.length) return mark + parameters
  return kept.length === 0 ? '' : mark + kept.join('&')
}

/** A parameter's name as a server would read it: without percent encoding, in lower case. In a fragment
 *  with a path of its own (`#/callback?code=…`) it begins after the question mark. */
function nameOf(pair: string): string {
  const equals = pair.indexOf('=')
  const raw = equals < 0 ? pair : pair.slice(0, equals)
  const name = raw.slice(raw.lastIndexOf('?') + 1)
  if (!name.includes('%') && !name.includes('+')) return name.toLowerCase()
  try {
    return decodeURIComponent(name.replaceAll('+', ' ')).trim().toLowerCase()
  } catch {
    return name.toLowerCase()
  }
}
