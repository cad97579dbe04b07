const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

/** The host that a Host header names: lower case, without port and trailing dot (RFC 9110 7.2; an IPv6
 *  literal keeps its brackets). Undefined when it names none. */
export function hostOf(header: string | undefined): string | undefined {
  if (header === undefined || header.length > 300) return undefined
  const host = header.toLowerCase()
  const literal = /^(\[[0-9a-f:.]+\])(?::\d*)?$/.exec(host)
  if (literal) return literal[1]
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '')
  return isHostname(name) ? name : undefined
}

/** Whether a name is a hostname: labels of ASCII letters, digits and hyphens, at most 253 characters
 *  (RFC 1123 2.1; underscores pass, since machines have such names). */
function isHostname(name: string): boolean {
  return name.length <= 253 && name.split('.').every(label => LABEL.test(label))
}

/** The slug of `{slug}.{platform host}`; undefined for any other host. */
export function slugOfHost(host: string, platformHost: string): string | undefined {
  if (!host.endsWith(`.${platformHost}`)) return undefined
  const slug = host.slice(0, -platformHost.length - 1)
  return slug.includes('.') ? undefined : slug
}
