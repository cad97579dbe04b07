import { readFile } from 'node:fs/promises'
import type { Database } from '../../foundation/database/index.ts'
import type { Actor } from '../audit.store.ts'
import { lockTenancy } from '../tenants.store.ts'
import { applyClients } from './apply-clients.ts'
import { applyCookieDomain } from './apply-cookie-domain.ts'
import { applyHosts, type DeclaredTenant } from './apply-hosts.ts'
import { applyPlatformKeys, applyTenantKeys } from './apply-keys.ts'
import { applyPageSettings } from './apply-page-settings.ts'
import { applyProviders, checkProviders } from './apply-providers.ts'
import { applyOperators, applyStaff } from './apply-staff.ts'
import { applyEventSettings, applyFlags, applyTenant } from './apply-tenant.ts'
import type { Application, Applied, TenantHooks } from './changes.ts'
import { checkMeaning } from './check-meaning.ts'
import { checkStructure } from './check-structure.ts'
import { PlatformFileError, type Problem, showPath } from './problems.ts'
import { readPlatformFile } from './read-platform-file.ts'
import type { PlatformFile } from './schema.ts'

export interface ApplyOptions {
  db: Database
  hooks: TenantHooks
  /** Lower case, without a port. */
  platformHost: string
  /** For the audit trail: who applies it. */
  actor: Actor
  now: Date
}

/** Brings the platform to what is declared, in one transaction. Throws `refusal(problems)` and changes
 *  nothing where the platform as it stands does not allow it. `before` runs first and can say no;
 *  `after` runs last. */
export async function applyDeclaration(
  { db, hooks, actor, now }: Omit<ApplyOptions, 'platformHost'>,
  file: PlatformFile,
  refusal: (problems: readonly Problem[]) => Error,
  around: { before?(trx: Database): Promise<boolean>; after?(applied: Applied): Promise<void> } = {},
): Promise<Applied | undefined> {
  return db.transaction().execute(async trx => {
    await lockTenancy(trx)
    if (around.before && !(await around.before(trx))) return undefined
    const result: Applied = { changes: [], notices: [], madeKeys: [], madeSecrets: [] }
    const problems: Problem[] = []
    const application: Application = { trx, hooks, now, actor, problems, result }

    await applyOperators(application, file)
    const tenants: DeclaredTenant[] = []
    for (const [index, declared] of (file.tenants ?? []).entries())
      tenants.push({ tenant: await applyTenant(application, declared), declared, index })
    await applyHosts(application, tenants)
    for (const declaredTenant of tenants) {
      const { tenant, declared, index } = declaredTenant
      await applyCookieDomain(application, declaredTenant)
      await applyPageSettings(application, tenant, declared)
      await applyEventSettings(application, tenant, declared.events)
      await applyFlags(application, tenant, declared.flags)
      await applyStaff(application, tenant, declared)
      await applyTenantKeys(application, tenant, declared, ['tenants', index])
      await applyClients(application, tenant, declared.clients, ['tenants', index, 'clients'])
      await applyProviders(application, tenant, declared, ['tenants', index])
    }
    await applyPlatformKeys(application, file)

    if (problems.length > 0) throw refusal(problems)
    await around.after?.(result)
    return result
  })
}

/** Brings the platform to what a platform file declares (decisions, "First start, and configuration"):
 *  what the file does not name is left alone, and applying it again changes nothing. Throws a
 *  PlatformFileError that lists every problem with its line, before anything is changed. */
export async function applyPlatformFile(
  options: ApplyOptions & {
    /** The file's path, or its text with the name to call it by. */
    file: string | { name: string; text: string }
    env: Record<string, string | undefined>
    /** Tries also the social providers of which nothing is new: for somebody who reads the notices. A start does not wait
     *  for them. */
    tryAll?: boolean
  },
): Promise<Applied> {
  const { file, env } = options
  const { name, text } = typeof file === 'string' ? await readText(file) : file
  const read = readPlatformFile(text, env)
  if ('faults' in read)
    throw new PlatformFileError(read.faults.map(({ line, message }) => `${name}:${line}: ${message}`))

  const refusal = (problems: readonly Problem[]) =>
    new PlatformFileError(
      problems
        .map(({ path, message }) => ({ line: read.lineOf(path), at: showPath(path), message }))
        .toSorted((a, b) => a.line - b.line)
        .map(({ line, at, message }) => `${name}:${line}: ${at || 'the file'} ${message}`),
    )
  const problems = [
    ...read.problems,
    ...checkStructure(read.value),
    ...checkMeaning(read.value, options.platformHost),
  ]
  // What the environment did not fill in has no other fault that would be worth telling.
  const unfilled = new Set(read.problems.map(({ path }) => showPath(path)))
  const told = problems.filter(
    problem => read.problems.includes(problem) || !unfilled.has(showPath(problem.path)),
  )
  if (told.length > 0) throw refusal(told)

  const declared = read.value as PlatformFile
  const asked = await checkProviders(options, declared)
  if (asked.problems.length > 0) throw refusal(asked.problems)
  const applied = await applyDeclaration(options, declared, refusal)
  if (!applied) throw new Error('Nothing was to keep the file from being applied.')
  const doubts = asked.doubts.map(({ path, message }) => `${showPath(path)}: ${message}`)
  return { ...applied, notices: [...doubts, ...applied.notices] }
}

async function readText(path: string): Promise<{ name: string; text: string }> {
  try {
    return { name: path, text: await readFile(path, 'utf8') }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable'
    throw new PlatformFileError([`The platform file ${path} cannot be read (${code}). Check its path.`])
  }
}
