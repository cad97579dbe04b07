import type { Report } from './examine-silent-sign-in.ts'

const count = (report: Report, wanted: 'blocks' | 'warns'): number =>
  report.checks.flatMap(({ findings }) => findings).filter(({ severity }) => severity === wanted).length

/** Whether the probe can work, in a sentence. */
export function conclude(report: Report): string {
  const { works, site } = report
  const blocking = count(report, 'blocks')
  const warnings = count(report, 'warns')
  if (!works)
    return `Silent sign-in cannot work on ${site.origin} yet: ${blocking} ${blocking === 1 ? 'thing has' : 'things have'} to change.`
  return `Silent sign-in can work on ${site.origin}.${warnings > 0 ? ' Mind the notes.' : ''}`
}

/** What can be said of prompt=none, which works where the probe cannot: across sites (interface 4.9). */
export const concludePromptNone = ({ promptNoneWorks }: Report): string =>
  promptNoneWorks
    ? 'prompt=none works as a redirect of the whole window to /oauth/authorize, also from another site; never in a frame.'
    : 'prompt=none does not work either.'
