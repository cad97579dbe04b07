import type { SocialProviderChange, SocialProviderDocument } from '@usher/contract'
import type { Database } from '../../foundation/database/index.ts'
import { ApiError, invalid, notFound } from '../../foundation/http/index.ts'
import type { Secrets } from '../../foundation/secrets/index.ts'
import type { Editor, Tenant } from '../../tenancy/index.ts'
import { changeProviderTo, newProvider, withoutKnownSecret } from './change-draft.ts'
import { checkProvider } from './check-provider.ts'
import type { ProviderReach } from './connect-provider.ts'
import type { SocialProvider } from './provider.ts'
import { redirectUriOf } from './provider-addresses.ts'
import { auditProvider, writeSettings } from './provider-audit.ts'
import { isProviderId, needsCheck, type ProviderDraft } from './provider-draft.ts'
import { readChangedProvider, readNewProvider, toErrors } from './provider-input.ts'
import { toProviderResource } from './provider-resource.ts'
import { openSecret } from './provider-secret.ts'
import {
  deleteProvider,
  findProvider,
  insertProvider,
  listProviders,
  lockProviders,
  updateProvider,
} from './social-providers.store.ts'

/** What saving a provider stands on. */
export interface ProviderSaving {
  db: Database
  secrets: Secrets
  publicUrl: URL
  reach: ProviderReach
}

const noSuchProvider = () => notFound('The tenant has no social provider with this id.')

/** Asks the provider about what is to be saved, and answers its warnings. Throws 422 for what it refuses, and when it
 *  does not answer: an administrator who is there can try again, or save it without offering it. */
async function tryOut(
  { reach, publicUrl }: ProviderSaving,
  tenant: Tenant,
  draft: ProviderDraft,
  secret: string,
): Promise<string[]> {
  const redirectUri = redirectUriOf(publicUrl, tenant.domain, draft.id)
  const { problems, warnings, isAway } = await checkProvider(reach, draft, { secret, redirectUri })
  if (problems.length > 0) throw invalid(toErrors(problems))
  if (isAway)
    throw invalid({
      issuer: [
        `issuer cannot be asked now: ${warnings.join(' ')} Try again, or save it with enabled false until it answers.`,
      ],
    })
  return warnings
}

const answer = (
  { publicUrl }: ProviderSaving,
  { domain }: Tenant,
  provider: SocialProvider,
  warnings: string[] = [],
): SocialProviderDocument => ({
  data: toProviderResource(provider, { publicUrl, domain }),
  ...(warnings.length > 0 && { meta: { warnings } }),
})

/** Throws 409 when a change would leave the members without any way to sign in. */
function keepOneWay({ signIn }: Tenant, left: readonly SocialProvider[]): void {
  if (signIn.loginMethods.length === 0 && !left.some(({ enabled }) => enabled))
    throw new ApiError(
      409,
      'Members could not sign in any more: login_methods are empty, and this is the last provider that is enabled.',
    )
}

/** A tenant's providers, the oldest first. */
export async function listProviderResources(
  { db, publicUrl }: Pick<ProviderSaving, 'db' | 'publicUrl'>,
  { id, domain }: Tenant,
) {
  return (await listProviders(db, id)).map(provider => toProviderResource(provider, { publicUrl, domain }))
}

/** One of a tenant's providers. Throws 404. */
export async function getProvider(
  saving: ProviderSaving,
  tenant: Tenant,
  id: string,
): Promise<SocialProviderDocument> {
  const provider = isProviderId(id) ? await findProvider(saving.db, tenant.id, id) : undefined
  if (!provider) throw noSuchProvider()
  return answer(saving, tenant, provider)
}

/** Makes a provider, after it was tried. Throws 422 with a message per field, 409 when the id is taken. */
export async function createProvider(
  saving: ProviderSaving,
  tenant: Tenant,
  { data }: SocialProviderChange,
  editor: Editor,
): Promise<SocialProviderDocument> {
  const { db, secrets, reach } = saving
  const ids = (await listProviders(db, tenant.id)).map(provider => provider.id)
  const draft = readNewProvider(data, ids, reach.allowLocal)
  const { id } = draft
  const taken = () => {
    const message = `The tenant has a social provider with the id ${id} already.`
    return new ApiError(409, message, { errors: { id: [message] } })
  }
  if (ids.includes(id)) throw taken()
  const warnings = draft.enabled ? await tryOut(saving, tenant, draft, draft.secret ?? '') : []
  const provider = newProvider(secrets, tenant.id, draft, editor.now)
  await db.transaction().execute(async trx => {
    if (!(await insertProvider(trx, tenant.id, provider))) throw taken()
    const details = { provider: provider.kind, ...writeSettings(provider) }
    await auditProvider(trx, tenant.id, editor, {
      action: 'social_provider.created',
      providerId: id,
      details,
    })
  })
  return answer(saving, tenant, provider, warnings)
}

/** Changes a provider; what is not sent stays, and what the provider decides on is tried. Throws 404, 409, 422. */
export async function changeProvider(
  saving: ProviderSaving,
  tenant: Tenant,
  id: string,
  { data }: SocialProviderChange,
  editor: Editor,
): Promise<SocialProviderDocument> {
  const { db, secrets, reach } = saving
  const before = isProviderId(id) ? await findProvider(db, tenant.id, id) : undefined
  if (!before) throw noSuchProvider()
  // JSON:API 1.1, 7.2.
  if (data.id !== undefined && data.id !== id)
    throw new ApiError(409, "A provider's id never changes: leave id out, or send that of the address.")
  const draft = withoutKnownSecret(
    secrets,
    tenant.id,
    readChangedProvider(before, data, reach.allowLocal),
    before,
  )
  const warnings = needsCheck(draft, before)
    ? await tryOut(saving, tenant, draft, draft.secret ?? openSecret(secrets, tenant.id, before))
    : []
  return db.transaction().execute(async trx => {
    const all = await lockProviders(trx, tenant.id)
    const current = all.find(provider => provider.id === id)
    if (!current) throw noSuchProvider()
    if (current.updatedAt.getTime() !== before.updatedAt.getTime())
      throw new ApiError(409, 'Somebody else has changed the provider meanwhile. Look at it, and try again.')
    const { provider, changes } = changeProviderTo(secrets, tenant.id, current, { draft, now: editor.now })
    if (current.enabled && !provider.enabled)
      keepOneWay(
        tenant,
        all.filter(other => other !== current),
      )
    if (changes.length > 0) await updateProvider(trx, tenant.id, provider)
    for (const change of changes) await auditProvider(trx, tenant.id, editor, { ...change, providerId: id })
    return answer(saving, tenant, provider, warnings)
  })
}

/** Takes a provider away. The accounts that members linked stay, for the day that it is back. Throws 404, 409. */
export async function removeProvider(
  { db }: ProviderSaving,
  tenant: Tenant,
  id: string,
  editor: Editor,
): Promise<void> {
  if (!isProviderId(id)) throw noSuchProvider()
  await db.transaction().execute(async trx => {
    const all = await lockProviders(trx, tenant.id)
    const current = all.find(provider => provider.id === id)
    if (!current) throw noSuchProvider()
    if (current.enabled)
      keepOneWay(
        tenant,
        all.filter(other => other !== current),
      )
    await deleteProvider(trx, tenant.id, id)
    await auditProvider(trx, tenant.id, editor, {
      action: 'social_provider.removed',
      providerId: id,
      details: { provider: current.kind, ...writeSettings(current) },
    })
  })
}
