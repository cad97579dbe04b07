import type { Database } from '../foundation/database/index.ts'
import { type Actor, listAuditEntries } from './audit.store.ts'
import { describeUnknownTenant } from './describe-unknown-tenant.ts'
import { listKeys } from './keys.store.ts'
import { applyPlatformFile } from './platform-file/apply-platform-file.ts'
import type { TenantHooks } from './platform-file/changes.ts'
import { PlatformFileError } from './platform-file/problems.ts'
import { revokeKey } from './revoke-key.ts'
import { suspendTenant } from './suspend-tenant.ts'
import { findTenantName } from './tenants.store.ts'

export const tenancyUsage = `usher apply <file>                  brings the platform to what a platform file declares
usher suspend <slug>                lets a tenant answer 403, until it is resumed
usher resume <slug>                 ends a suspension
usher keys [<slug>]                 lists the keys of a tenant, or of the platform
usher keys revoke [<slug>] <name>   revokes a key of a tenant, or of the platform, for good
usher audit [<slug>] [--limit <n>]  shows the newest entries of the audit trail of a tenant, or of the platform`

export interface TenancySurroundings {
  db: Database
  hooks: TenantHooks
  /** Lower case, without a port. */
  platformHost: string
  env: Record<string, string | undefined>
  /** Who runs the command, for the audit trail. */
  actor: Actor
  now: Date
  /** Prints a line for programs and people. */
  print(line: string): void
  /** Prints a line that says what went wrong. */
  complain(line: string): void
}

async function applyCommand(file: string, around: TenancySurroundings): Promise<number> {
  const { print, complain } = around
  try {
    const { changes, notices, madeKeys, madeSecrets } = await applyPlatformFile({
      ...around,
      file,
      tryAll: true,
    })
    for (const change of changes) print(change)
    for (const notice of notices) complain(notice)
    if (changes.length === 0) print('Nothing to change.')
    for (const { name, tenant, token } of madeKeys)
      print(`key ${name} of ${tenant ? `tenant ${tenant}` : 'the platform'}, shown only now: ${token}`)
    for (const { clientId, tenant, secret } of madeSecrets)
      print(`secret of client ${clientId} of tenant ${tenant}, shown only now: ${secret}`)
    return 0
  } catch (error) {
    if (!(error instanceof PlatformFileError)) throw error
    for (const problem of error.problems) complain(problem)
    return 1
  }
}

async function suspendCommand(slug: string, suspend: boolean, around: TenancySurroundings): Promise<number> {
  const changed = await suspendTenant(around.db, { ...around, slug, suspend })
  if (changed === undefined) {
    around.complain(await describeUnknownTenant(around.db, slug))
    return 1
  }
  const state = suspend ? 'suspended' : 'not suspended'
  around.print(`tenant ${slug}: ${changed ? 'now' : 'already'} ${state}`)
  return 0
}

/** The id of a tenant, `null` for the platform, undefined after a complaint that there is no such tenant. */
async function tenantIdOf(
  slug: string | undefined,
  { db, complain }: TenancySurroundings,
): Promise<string | null | undefined> {
  if (slug === undefined) return null
  const tenant = await findTenantName(db, slug)
  if (!tenant) complain(await describeUnknownTenant(db, slug))
  return tenant?.id
}

async function keysCommand(slug: string | undefined, around: TenancySurroundings): Promise<number> {
  const tenantId = await tenantIdOf(slug, around)
  if (tenantId === undefined) return 1
  const keys = await listKeys(around.db, tenantId)
  if (keys.length === 0) around.print('No keys.')
  for (const { name, abilities, expiresAt, revokedAt } of keys) {
    const state = revokedAt
      ? `revoked ${revokedAt.toISOString()}`
      : expiresAt
        ? `${expiresAt <= around.now ? 'expired' : 'until'} ${expiresAt.toISOString()}`
        : 'without end'
    around.print(`${name}  ${state}  ${abilities.join(' ')}`)
  }
  return 0
}

async function revokeCommand(
  slug: string | undefined,
  name: string,
  around: TenancySurroundings,
): Promise<number> {
  const tenantId = await tenantIdOf(slug, around)
  if (tenantId === undefined) return 1
  const whose = slug === undefined ? 'the platform' : `tenant ${slug}`
  if (await revokeKey(around.db, tenantId, { ...around, name })) {
    around.print(`key ${name} of ${whose}: revoked`)
    return 0
  }
  around.complain(
    `No live key of ${whose} has the name ${name}. "usher keys${slug ? ` ${slug}` : ''}" lists them.`,
  )
  return 1
}

async function auditCommand(
  slug: string | undefined,
  limit: number,
  around: TenancySurroundings,
): Promise<number> {
  const tenantId = await tenantIdOf(slug, around)
  if (tenantId === undefined) return 1
  const entries = await listAuditEntries(around.db, tenantId, limit)
  if (entries.length === 0) around.print('No entries.')
  for (const { at, actor, action, target, details, address } of entries.toReversed()) {
    const from = address === null ? '' : ` from ${address}`
    around.print(
      `${at.toISOString()}  ${actor.name}${from}  ${action}  ${target}  ${JSON.stringify(details)}`,
    )
  }
  return 0
}

/** What `audit` was asked for; undefined when that cannot be understood. */
function readAuditArgs(args: readonly string[]): { slug: string | undefined; limit: number } | undefined {
  const at = args.indexOf('--limit')
  const limit = at < 0 ? '50' : (args[at + 1] ?? '')
  const rest = at < 0 ? args : args.toSpliced(at, 2)
  if (rest.length > 1 || rest[0]?.startsWith('-') || !/^[1-9]\d{0,4}$/.test(limit)) return undefined
  return { slug: rest[0], limit: Number(limit) }
}

/** A command that was understood; gives the exit code. */
export type TenancyCommand = (around: TenancySurroundings) => Promise<number>

/** The command of `tenancyUsage` that a command line, without `usher`, asks for; undefined when it is none of
 *  them. */
export function readTenancyCommand(args: readonly string[]): TenancyCommand | undefined {
  const [command, ...rest] = args
  const [first, second, third] = rest
  if (command === 'audit') {
    const asked = readAuditArgs(rest)
    return asked && (around => auditCommand(asked.slug, asked.limit, around))
  }
  if (rest.some(arg => arg.startsWith('-'))) return undefined
  if (command === 'keys') {
    if (first !== 'revoke') return rest.length <= 1 ? around => keysCommand(first, around) : undefined
    if (second === undefined || rest.length > 3) return undefined
    const [slug, name] = third === undefined ? [undefined, second] : [second, third]
    return around => revokeCommand(slug, name, around)
  }
  if (first === undefined || rest.length > 1) return undefined
  if (command === 'apply') return around => applyCommand(first, around)
  if (command === 'suspend') return around => suspendCommand(first, true, around)
  if (command === 'resume') return around => suspendCommand(first, false, around)
  return undefined
}
