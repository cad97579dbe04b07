import type { Flag } from '@usher/contract'
import type { Database, DatabaseTransaction } from '../../foundation/database/index.ts'
import type { Actor } from '../audit.store.ts'
import { recordAudit } from '../record-audit.ts'
import type { ClientDeclaration } from './client-declaration.ts'
import type { Path, Problem } from './problems.ts'
import type { ProviderDeclaration } from './provider-declaration.ts'

/** What other rooms do in the transaction in which a tenant is made or a flag changes. */
export interface TenantHooks {
  tenantCreated(trx: DatabaseTransaction, tenantId: string): Promise<void>
  flagChanged(trx: DatabaseTransaction, tenantId: string, flag: Flag, active: boolean): Promise<void>
  /** Brings a tenant's OAuth clients to what is declared of them; one that is not named stays. */
  applyClients(
    trx: DatabaseTransaction,
    tenantId: string,
    declared: readonly ClientDeclaration[],
    now: Date,
  ): Promise<AppliedClients>
  /** Asks the declared social providers whether what is new of them is right, or with `all` also those of which nothing is.
   *  It may take seconds, so it is done before the transaction. */
  checkProviders(
    db: Database,
    tenants: readonly DeclaredProviders[],
    options: { all: boolean },
  ): Promise<CheckedProviders>
  /** Brings a tenant's social providers to what is declared of them; one that is not named stays. */
  applyProviders(
    trx: DatabaseTransaction,
    tenant: { id: string; domain: string },
    declared: readonly ProviderDeclaration[],
    now: Date,
  ): Promise<{ problems: readonly Problem[]; changes: readonly Change[] }>
  /** Whether a tenant's members are offered any social provider. */
  offersProvider(trx: DatabaseTransaction, tenantId: string): Promise<boolean>
}

/** The social providers that a tenant declares. */
export interface DeclaredProviders {
  slug: string
  domain: string
  /** Where the list of them stands in the file. */
  path: Path
  declared: readonly ProviderDeclaration[]
}

/** What asking the providers has shown. */
export interface CheckedProviders {
  /** What a provider refuses. */
  problems: readonly Problem[]
  /** What could not be found out, with its place. */
  doubts: readonly Problem[]
}

/** What became of declared clients. */
export interface AppliedClients {
  /** Where `path` begins at the list of clients. Nothing is applied then. */
  problems: readonly Problem[]
  changes: readonly Change[]
  /** Secrets that were made, by client_id. */
  madeSecrets: readonly { clientId: string; secret: string }[]
}

/** A change, for the audit trail and, as `text`, for people. */
export interface Change {
  action: string
  target: string
  details?: Record<string, unknown>
  text: string
}

/** A token that was made here. It is not kept, so this is the only time to show it. */
export interface MadeKey {
  /** The key's name. */
  name: string
  /** The slug of its tenant; none for a platform key. */
  tenant?: string
  token: string
}

/** The secret of a client that was made here, to be shown now like a made key. */
export interface MadeSecret {
  clientId: string
  /** The slug of its tenant. */
  tenant: string
  secret: string
}

/** What was done, and what a reader of the command's output should know. */
export interface Applied {
  changes: string[]
  /** What the file asks for and was left as it is, with the reason. */
  notices: string[]
  madeKeys: MadeKey[]
  madeSecrets: MadeSecret[]
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
  change: Change,
): Promise<void> {
  const { action, target, details = {}, text } = change
  await recordAudit(trx, { tenantId: tenant?.id ?? null, actor, action, target, details, at: now })
  result.changes.push(tenant ? `tenant ${tenant.slug}: ${text}` : text)
}

/** Notes that the file cannot be applied as the platform stands. */
export function refuse(application: Application, path: Path, message: string): void {
  application.problems.push({ path, message })
}
