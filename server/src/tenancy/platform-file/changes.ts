import type { Flag } from '@usher/contract'
import type { DatabaseTransaction } from '../../foundation/database/index.ts'
import type { Actor } from '../audit.store.ts'
import { recordAudit } from '../record-audit.ts'
import type { Path, Problem } from './problems.ts'

/** What other rooms do in the transaction in which a tenant is made or a flag changes. */
export interface TenantHooks {
  tenantCreated(trx: DatabaseTransaction, tenantId: string): Promise<void>
  flagChanged(trx: DatabaseTransaction, tenantId: string, flag: Flag, active: boolean): Promise<void>
}

/** A token that was made here. It is not kept, so this is the only time to show it. */
export interface MadeKey {
  /** The key's name. */
  name: string
  /** The slug of its tenant; none for a platform key. */
  tenant?: string
  token: string
}

/** What was done, and what a reader of the command's output should know. */
export interface Applied {
  changes: string[]
  /** What the file asks for and was left as it is, with the reason. */
  notices: string[]
  madeKeys: MadeKey[]
}

/** One application of a platform file, inside its transaction. */
export interface Application {
  trx: DatabaseTransaction
  hooks: TenantHooks
  now: Date
  actor: Actor
  problems: Problem[]
  result: Applied
}

/** A tenant as changes name it: by slug to people, by id to the audit trail. */
export interface TenantName {
  id: string
  slug: string
}

/** Records a change that was made: for the reader, and in the audit trail of the tenant, or with `null` of
 *  the platform. */
export async function recordChange(
  { trx, now, actor, result }: Application,
  tenant: TenantName | null,
  change: { action: string; target: string; details?: Record<string, unknown>; text: string },
): Promise<void> {
  const { action, target, details = {}, text } = change
  await recordAudit(trx, { tenantId: tenant?.id ?? null, actor, action, target, details, at: now })
  result.changes.push(tenant ? `tenant ${tenant.slug}: ${text}` : text)
}

/** Notes that the file cannot be applied as the platform stands. */
export function refuse(application: Application, path: Path, message: string): void {
  application.problems.push({ path, message })
}
