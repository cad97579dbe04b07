import type { Database } from '../../foundation/database/index.ts'
import { findPageSettings } from '../tenants.store.ts'
import {
  type Application,
  type CheckedProviders,
  recordChange,
  refuse,
  type TenantHooks,
  type TenantName,
} from './changes.ts'
import type { Path } from './problems.ts'
import type { PlatformFile } from './schema.ts'
import type { TenantDeclaration } from './tenant-declaration.ts'

/** Asks the social providers that a file declares about what is new of them, or with `tryAll` all of them. */
export async function checkProviders(
  { db, hooks, tryAll = false }: { db: Database; hooks: TenantHooks; tryAll?: boolean },
  file: PlatformFile,
): Promise<CheckedProviders> {
  const tenants = (file.tenants ?? []).flatMap(({ slug, domain, social }, index) =>
    social?.length
      ? [{ slug, domain: domain.toLowerCase(), path: ['tenants', index, 'social'], declared: social }]
      : [],
  )
  return tenants.length > 0
    ? hooks.checkProviders(db, tenants, { all: tryAll })
    : { problems: [], doubts: [] }
}

/** Gives a tenant its declared social providers. What a provider may say is for the room of signing in to know. */
export async function applyProviders(
  application: Application,
  tenant: TenantName,
  { domain, social = [], login_methods: loginMethods }: TenantDeclaration,
  path: Path,
): Promise<void> {
  const { trx, hooks, now } = application
  if (social.length > 0) {
    const address = { id: tenant.id, domain: domain.toLowerCase() }
    const { problems, changes } = await hooks.applyProviders(trx, address, social, now)
    for (const problem of problems) refuse(application, [...path, 'social', ...problem.path], problem.message)
    for (const change of changes) await recordChange(application, tenant, change)
  }
  if (social.length === 0 && loginMethods === undefined) return
  const settings = await findPageSettings(trx, tenant.id)
  if (settings?.signIn.loginMethods.length === 0 && !(await hooks.offersProvider(trx, tenant.id)))
    refuse(
      application,
      [...path, loginMethods ? 'login_methods' : 'social'],
      'leaves members no way to sign in: there is no social provider that is enabled',
    )
}
