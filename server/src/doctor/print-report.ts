import type { SilentSignInCheck } from '@usher/contract'
import { conclude, concludePromptNone } from './conclusions.ts'
import type { Report } from './examine-silent-sign-in.ts'

/** What each check looks at, in the words of people. */
export const subjects: Record<SilentSignInCheck, string> = {
  tenant: 'Tenant',
  client: 'Client',
  site: 'Site',
  host: 'Host',
  tls: 'TLS',
  same_site: 'Same site',
  cookie_domain: 'Cookie Domain',
  origin: 'Origin',
  pkce: 'PKCE',
}
const width = Math.max(...Object.values(subjects).map(subject => subject.length))
const marks = { blocks: '✘', warns: '!' }

/** A report as lines for people: a mark, what is right or wrong, what to change. */
export function printReport(report: Report, liveCheck: string): string[] {
  const indent = ' '.repeat(width + 4)
  return [
    `Client ${report.clientId} on ${report.site.origin}, which asks ${report.tenantOrigin}`,
    '',
    ...report.checks.flatMap(({ name, good, findings }) => {
      const subject = subjects[name].padEnd(width)
      if (good !== null) return [`✔ ${subject}  ${good}`]
      return findings.flatMap(({ code, severity, problem, change }) => [
        `${marks[severity]} ${subject}  ${problem} (${code})`,
        `${indent}→ ${change}`,
      ])
    }),
    '',
    conclude(report),
    concludePromptNone(report),
    ...(report.tenant.suspended ? [] : ['See what your browser really does, within an hour:', liveCheck]),
  ]
}
