import type { SilentSignInCode } from '@usher/contract'
import { findNear } from '../../foundation/find-near.ts'
import { type SiteAddress, siteOf } from '../addresses.ts'
import { type Check, type Examined, type Finding, isOwnDomain, probeAlone } from './check.ts'

const FIELD = 'allowed_origins in the platform file'

/** How an origin is written that means the site's own and is not it. */
function formOf(entry: string, origin: string): string {
  if (entry === `${origin}/`) return 'with a slash at its end'
  if (entry.toLowerCase() === origin) return 'in upper case'
  if (URL.parse(entry)?.pathname !== '/') return 'with a path'
  return 'in another form'
}

interface Likeness {
  code: SilentSignInCode
  entry: string
  /** To be read after "… is registered, ". */
  difference: string
}

/** The registered origin that is most like the site's, and what differs. */
function nearestOf(entries: readonly string[], { origin, host, isHttps }: SiteAddress): Likeness | undefined {
  const parsed = entries.flatMap(entry => {
    const url = URL.parse(entry)
    return url && url.hostname !== '' ? [{ entry, url }] : []
  })
  const same = parsed.find(({ url }) => url.origin === origin)
  if (same)
    return {
      code: 'origin_form_differs',
      entry: same.entry,
      difference: `${formOf(same.entry, origin)}, and origins are compared byte by byte`,
    }
  const sameHost = parsed.filter(({ url }) => url.hostname === host)
  const port = URL.parse(origin)?.port
  const otherPort = sameHost.find(({ url }) => (url.protocol === 'https:') === isHttps)
  const otherScheme = sameHost.find(({ url }) => url.port === port) ?? sameHost[0]
  if (otherScheme && !otherPort)
    return {
      code: 'origin_scheme_differs',
      entry: otherScheme.entry,
      difference: otherScheme.url.port === port ? 'the scheme differs' : 'the scheme and the port differ',
    }
  if (otherPort)
    return { code: 'origin_port_differs', entry: otherPort.entry, difference: 'the port differs' }
  const [typed] = findNear(
    host,
    parsed.map(({ url }) => url.hostname),
  )
  const like = parsed.find(
    ({ url: { hostname } }) =>
      host.startsWith(hostname) ||
      hostname.startsWith(host) ||
      host.endsWith(hostname) ||
      hostname.endsWith(host) ||
      hostname === typed,
  )
  return (
    like && {
      code: 'origin_host_differs',
      entry: like.entry,
      difference: 'the host differs, and no origin stands for its subdomains or for another host',
    }
  )
}

function* findingsOf({ client, clients, site }: Examined): Generator<Finding> {
  if (!client || client.allowedOrigins.includes(site.origin)) return
  const { clientId, allowedOrigins } = client
  const blocks = { severity: 'blocks', affects: probeAlone } as const
  const add = `Add ${site.origin} to the allowed origins of client ${clientId} (${FIELD}).`
  const nearest = nearestOf(allowedOrigins, site)
  const others = clients.filter(other => other.allowedOrigins.includes(site.origin))
  if (allowedOrigins.length === 0)
    yield {
      ...blocks,
      code: 'client_without_origins',
      problem: `Client ${clientId} has no allowed origins: the probe answers it nowhere.`,
      change: add,
    }
  else if (nearest)
    yield {
      ...blocks,
      code: nearest.code,
      problem: `${site.origin} is no allowed origin of client ${clientId}. ${nearest.entry} is registered, ${nearest.difference}.`,
      change:
        nearest.code === 'origin_form_differs'
          ? `Replace ${nearest.entry} by ${site.origin} in the allowed origins of client ${clientId} (${FIELD}).`
          : add,
    }
  else if (others.length === 0)
    yield {
      ...blocks,
      code: 'origin_not_registered',
      problem: `${site.origin} is no allowed origin of client ${clientId}, and no other that is resembles it.`,
      change: add,
    }
  if (others.length > 0) {
    const usable = others.find(({ enabled }) => enabled)
    const named = others.map(other => other.clientId).join(', ')
    yield {
      ...blocks,
      code: 'origin_of_other_client',
      problem: `${site.origin} is registered with client ${named}, and not with ${clientId}.`,
      change: usable
        ? `Ask with client_id=${usable.clientId} on the site; or add ${site.origin} to the allowed origins of client ${clientId} too (${FIELD}).`
        : add,
    }
  }
}

/** Whether the site has to stand somewhere else first: to register the origin that it has now would help nothing. */
const hasToMove = ({ site, tenant, tenantOrigin, aliases }: Examined): boolean =>
  aliases.includes(site.host) ||
  siteOf(site.host) !== siteOf(tenant.domain) ||
  (tenantOrigin.startsWith('https:') && !site.isHttps)

/** The site's origin is registered with the client, byte by byte (interface 2.5 and 4.8). */
export const checkOrigin: Check = {
  name: 'origin',
  examine: examined => {
    const { client, site } = examined
    if (!client || isOwnDomain(examined) || hasToMove(examined)) return undefined
    return {
      good: `${site.origin} is an allowed origin of client ${client.clientId}.`,
      findings: [...findingsOf(examined)],
    }
  },
}
