import { type Application, recordChange, refuse, type TenantName } from './changes.ts'
import type { ClientDeclaration } from './client-declaration.ts'
import type { Path } from './problems.ts'

/** Gives a tenant its declared OAuth clients. What a client may say is for the room of OAuth to know. */
export async function applyClients(
  application: Application,
  tenant: TenantName,
  declared: readonly ClientDeclaration[] | undefined,
  path: Path,
): Promise<void> {
  if (!declared || declared.length === 0) return
  const { trx, hooks, now, result } = application
  const { problems, changes, madeSecrets } = await hooks.applyClients(trx, tenant.id, declared, now)
  for (const problem of problems) refuse(application, [...path, ...problem.path], problem.message)
  for (const change of changes) await recordChange(application, tenant, change)
  for (const made of madeSecrets) result.madeSecrets.push({ ...made, tenant: tenant.slug })
}
