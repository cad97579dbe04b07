import type { Database, DatabaseTransaction } from '../../foundation/database/index.ts'
import { openOutgoing } from '../../foundation/outgoing/index.ts'
import type { Secrets } from '../../foundation/secrets/index.ts'
import {
  type Change,
  type CheckedProviders,
  type DeclaredProviders,
  findTenantBySlug,
  type Problem,
  type ProviderDeclaration,
} from '../../tenancy/index.ts'
import { changeProviderTo, newProvider, withoutKnownSecret } from './change-draft.ts'
import { checkProvider } from './check-provider.ts'
import type { ProviderReach } from './connect-provider.ts'
import type { SocialProvider } from './provider.ts'
import { redirectUriOf } from './provider-addresses.ts'
import { type ProviderChange, writeSettings } from './provider-audit.ts'
import { draftProvider, makeProviderId, needsCheck, type ProviderDraft } from './provider-draft.ts'
import { openSecret } from './provider-secret.ts'
import { insertProvider, listProviders, lockProviders, updateProvider } from './social-providers.store.ts'

/** What declaring providers stands on. */
export interface ProviderDeclaring {
  /** Asked for when there is something to seal. */
  secrets(): Secrets | Promise<Secrets>
  publicUrl: URL
  /** In development: providers on this machine, and without https. */
  allowLocal: boolean
}

const idOf = ({ id, provider, name }: ProviderDeclaration): string => id ?? makeProviderId(provider, name)

interface Drafted {
  draft: ProviderDraft
  current: SocialProvider | undefined
}

/** What the declared providers are to be, and what is wrong with them; paths begin at their list. */
function draftAll(
  declared: readonly ProviderDeclaration[],
  known: readonly SocialProvider[],
  { secrets, tenantId, allowLocal }: { secrets: Secrets; tenantId: string; allowLocal: boolean },
): { drafts: Drafted[]; problems: Problem[] } {
  const problems: Problem[] = []
  const drafts = declared.map((written, at): Drafted => {
    const id = idOf(written)
    const current = known.find(provider => provider.id === id)
    const { provider: kind } = written
    const found = draftProvider({ id, kind, written }, current, allowLocal)
    for (const { field, message } of found.problems) problems.push({ path: [at, field], message })
    if (declared.findIndex(other => idOf(other) === id) < at)
      problems.push({ path: [at], message: `is another one with the id ${id}; give it an id of its own` })
    if (current && current.kind !== kind)
      problems.push({
        path: [at, 'provider'],
        message: `is ${current.kind} for the provider ${id}; give this one another id`,
      })
    return {
      draft: current ? withoutKnownSecret(secrets, tenantId, found.draft, current) : found.draft,
      current,
    }
  })
  return { drafts, problems }
}

/** A change in words for people; the address is for whoever registers Usher with a provider that is new. */
function describe(change: ProviderChange, id: string, redirectUri: string): Change {
  const texts = {
    'social_provider.created': `social provider ${id} added, redirect URI to register with the provider: ${redirectUri}`,
    'social_provider.changed': `social provider ${id} changed`,
    'social_provider.secret_changed': `social provider ${id} has another secret`,
    'social_provider.removed': `social provider ${id} removed`,
  }
  return { ...change, target: id, text: texts[change.action] }
}

/** What the platform file's `social` brings about (decisions, "First start, and configuration"). */
export function providerHooks({ secrets: findSecrets, publicUrl, allowLocal }: ProviderDeclaring) {
  /** Asks the providers of one tenant. */
  async function checkTenant(
    db: Database,
    reach: ProviderReach,
    { slug, domain, path, declared }: DeclaredProviders,
  ): Promise<CheckedProviders> {
    const secrets = await findSecrets()
    // One that is still to be made has none.
    const tenantId = (await findTenantBySlug(db, slug))?.id ?? ''
    const known = tenantId === '' ? [] : await listProviders(db, tenantId)
    const { drafts, problems } = draftAll(declared, known, { secrets, tenantId, allowLocal })
    if (problems.length > 0)
      return { problems: problems.map(one => ({ ...one, path: [...path, ...one.path] })), doubts: [] }
    const checks = drafts.map(async ({ draft, current }, at) => {
      if (!needsCheck(draft, current)) return { problems: [], doubts: [] }
      const secret = draft.secret ?? (current ? openSecret(secrets, tenantId, current) : '')
      const redirectUri = redirectUriOf(publicUrl, domain, draft.id)
      const found = await checkProvider(reach, draft, { secret, redirectUri })
      return {
        problems: found.problems.map(({ field, message }) => ({ path: [...path, at, field], message })),
        doubts: found.warnings.map(message => ({
          path: [...path, at],
          message: found.isAway ? `${message} It was not tried whether its settings are right.` : message,
        })),
      }
    })
    const all = await Promise.all(checks)
    return { problems: all.flatMap(one => one.problems), doubts: all.flatMap(one => one.doubts) }
  }

  return {
    /** What a provider refuses is a problem; one that is away is told, and keeps nobody from starting. */
    async checkProviders(db: Database, tenants: readonly DeclaredProviders[]): Promise<CheckedProviders> {
      const outgoing = openOutgoing({ allowLocal })
      try {
        const reach = { outgoing, allowLocal, nowMs: Date.now }
        const all = await Promise.all(tenants.map(tenant => checkTenant(db, reach, tenant)))
        return { problems: all.flatMap(one => one.problems), doubts: all.flatMap(one => one.doubts) }
      } finally {
        await outgoing.close()
      }
    },

    /** Makes and changes providers as declared, in the transaction of the file. */
    async applyProviders(
      trx: DatabaseTransaction,
      { id: tenantId, domain }: { id: string; domain: string },
      declared: readonly ProviderDeclaration[],
      now: Date,
    ): Promise<{ problems: readonly Problem[]; changes: readonly Change[] }> {
      const secrets = await findSecrets()
      const known = await lockProviders(trx, tenantId)
      const { drafts, problems } = draftAll(declared, known, { secrets, tenantId, allowLocal })
      const changes: Change[] = []
      if (problems.length > 0) return { problems, changes }
      for (const { draft, current } of drafts) {
        const inWords = (change: ProviderChange) =>
          describe(change, draft.id, redirectUriOf(publicUrl, domain, draft.id))
        if (!current) {
          const provider = newProvider(secrets, tenantId, draft, now)
          await insertProvider(trx, tenantId, provider)
          const details = { provider: provider.kind, ...writeSettings(provider) }
          changes.push(inWords({ action: 'social_provider.created', details }))
          continue
        }
        const changed = changeProviderTo(secrets, tenantId, current, { draft, now })
        if (changed.changes.length > 0) await updateProvider(trx, tenantId, changed.provider)
        changes.push(...changed.changes.map(inWords))
      }
      return { problems, changes }
    },

    offersProvider: async (trx: DatabaseTransaction, tenantId: string): Promise<boolean> =>
      (await listProviders(trx, tenantId)).some(({ enabled }) => enabled),
  }
}
