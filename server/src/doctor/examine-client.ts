import type { SilentSignInDocument } from '@usher/contract'
import type { Database } from '../foundation/database/index.ts'
import { ApiError } from '../foundation/http/index.ts'
import type { Secrets } from '../foundation/secrets/index.ts'
import type { Tenant } from '../tenancy/index.ts'
import { type AskedSignIn, examineSilentSignIn } from './examine-silent-sign-in.ts'
import { liveCheckAddress } from './live-check-ticket.ts'
import { toReportDocument } from './report-document.ts'

/** The report on one of a tenant's clients, with the address of its live check. Throws 404 for a client that the tenant
 *  does not have, which names those that could be meant. */
export async function examineClient(
  parts: { db: Database; secrets: Secrets; publicUrl: URL; nowMs: number },
  tenant: Tenant,
  asked: AskedSignIn,
): Promise<SilentSignInDocument> {
  const report = await examineSilentSignIn(parts, tenant, asked)
  if (!report.isClientKnown) {
    const [unknown] = report.checks.find(({ name }) => name === 'client')?.findings ?? []
    const message = `${unknown?.problem} ${unknown?.change}`
    throw new ApiError(404, message, { errors: { client_id: [message] } })
  }
  return toReportDocument(report, liveCheckAddress(parts, tenant, asked))
}
