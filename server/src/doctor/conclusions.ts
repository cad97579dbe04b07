import { canBeRedirectUri } from '../oauth/index.ts'
import type { SiteAddress } from './addresses.ts'
import type { Report } from './examine-silent-sign-in.ts'

/** How many checks found something of a kind: what one check finds is changed in one go. */
const count = (report: Report, wanted: 'blocks' | 'warns'): number =>
  report.checks.filter(({ findings }) => findings.some(({ severity }) => severity === wanted)).length

/** Whether the probe can work, in a sentence. */
export function conclude(report: Report): string {
  const { works, site } = report
  const blocking = count(report, 'blocks')
  const warnings = count(report, 'warns')
  if (!works)
    return `Silent sign-in cannot work on ${site.origin} yet: ${blocking} ${blocking === 1 ? 'thing has' : 'things have'} to change.`
  return `Silent sign-in can work on ${site.origin}.${warnings > 0 ? ' Mind the notes.' : ''}`
}

const MAX_NAMED = 2

const howToComeBack = ({ origin, host }: SiteAddress): string =>
  canBeRedirectUri(`${origin}/`)
    ? `register one below ${origin}`
    : `serve the site under https and register one below https://${host}`

/** What can be said of prompt=none, which works where the probe cannot: across sites (interface 4.9). */
export function concludePromptNone({ promptNoneWorks, redirectUris, site }: Report): string {
  if (!promptNoneWorks) return 'prompt=none does not work either.'
  const here = redirectUris.filter(uri => URL.parse(uri)?.origin === site.origin)
  const [named, place] =
    here.length > 0
      ? [here, '']
      : [redirectUris, `; none is on this site: to use it here, ${howToComeBack(site)}`]
  const more = named.length > MAX_NAMED ? ' and others' : ''
  return `prompt=none works as a redirect of the whole window to /oauth/authorize, also from another site; never in a frame. It comes back to ${named.slice(0, MAX_NAMED).join(', ')}${more}${place}.`
}
