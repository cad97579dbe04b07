import type { SilentSignInDocument } from '@usher/contract'
import type { CheckResult, Report } from './examine-silent-sign-in.ts'

const passed = ({ findings }: CheckResult): boolean => !findings.some(({ severity }) => severity === 'blocks')

/** A report as the API shows it. */
export const toReportDocument = (report: Report, liveCheck: string): SilentSignInDocument => ({
  data: {
    id: report.clientId,
    type: 'silent-sign-in-reports',
    attributes: {
      client_id: report.clientId,
      site: report.site.origin,
      tenant_origin: report.tenantOrigin,
      works: report.works,
      prompt_none_works: report.promptNoneWorks,
      checks: report.checks.map(check => ({ name: check.name, passed: passed(check), text: check.good })),
      findings: report.checks.flatMap(({ name, findings }) =>
        findings.map(({ code, severity, affects, problem, change }) => ({
          code,
          check: name,
          severity,
          affects: [...affects],
          problem,
          change,
        })),
      ),
    },
    links: { live_check: liveCheck },
  },
})
