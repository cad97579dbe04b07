import type { SocialProviderKind } from '@usher/contract'
import type { Database, DatabaseTransaction } from '../../foundation/database/index.ts'
import { openOutgoing } from '../../foundation/outgoing/index.ts'
import type { Secrets } from '../../foundation/secrets/index.ts'
import {
  type Change,
  type CheckedProviders,
  type DeclaredProviders,
  findTenantBySlug,
  type Path,
  type Problem,
  type ProviderDeclaration,
} from '../../tenancy/index.ts'
import { changeProviderTo, newProvider, withoutKnownSecret } from './change-draft.ts'
import { checkProvider, type ProviderCheck } from './check-provider.ts'
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

const secretGone = (kind: SocialProviderKind): ProviderCheck => ({
  problems: [
    {
      field: kind === 'apple' ? 'private_key' : 'client_secret',
      message: 'cannot be opened any more, as USHER_SECRET_KEY is another; declare it',
    },
  ],
  warnings: [],
  isAway: false,
})

const NOT_TRIED =
  'It was not tried whether its settings are right. Members may meet an error until it answers; run `usher apply` again then.'

/** The secret to try a draft with; undefined where the stored one cannot be opened any more. */
function secretToTry(secrets: Secrets, tenantId: string, { draft, current }: Drafted): string | undefined {
  if (draft.secret !== undefined || !current) return draft.secret ?? ''
  try {
    return openSecret(secrets, tenantId, current)
  } catch {
    return undefined
  }
}

/** What trying a provider has shown, at its place in the file. Of one of which nothing is new, what is wrong is told too, but
 *  keeps nothing else from being applied. */
function placeFound(found: ProviderCheck, path: Path, isNew: boolean): CheckedProviders {
  const doubts = found.warnings.map(message => ({
    path,
    message: found.isAway ? `${message} ${NOT_TRIED}` : message,
  }))
  if (isNew)
    return {
      problems: found.problems.map(({ field, message }) => ({ path: [...path, field], message })),
      doubts,
    }
  const wrong = found.problems.map(({ field, message }) => ({ path, message: `${field} ${message}.` }))
  return { problems: [], doubts: [...wrong, ...doubts] }
}

/** What the platform file's `social` brings about (decisions, "First start, and configuration"). */
export function providerHooks({ secrets: findSecrets, publicUrl, allowLocal }: ProviderDeclaring) {
  /** Asks the providers of one tenant: those of which something is new, or all that are offered. */
  async function checkTenant(
    db: Database,
    { reach, all: tryAll }: { reach: ProviderReach; all: boolean },
    { slug, domain, path, declared }: DeclaredProviders,
  ): Promise<CheckedProviders> {
    const secrets = await findSecrets()
    // One that is still to be made has none.
    const tenantId = (await findTenantBySlug(db, slug))?.id ?? ''
    const known = tenantId === '' ? [] : await listProviders(db, tenantId)
    const { drafts, problems } = draftAll(declared, known, { secrets, tenantId, allowLocal })
    if (problems.length > 0)
      return { problems: problems.map(one => ({ ...one, path: [...path, ...one.path] })), doubts: [] }
    const checks = drafts.map(async ({ draft, current }, at): Promise<CheckedProviders> => {
      const isNew = needsCheck(draft, current)
      if (!isNew && !(tryAll && draft.enabled)) return { problems: [], doubts: [] }
      const secret = secretToTry(secrets, tenantId, { draft, current })
      const redirectUri = redirectUriOf(publicUrl, domain, draft.id)
      const found =
        secret === undefined
          ? secretGone(draft.kind)
          : await checkProvider(reach, draft, { secret, redirectUri })
      return placeFound(found, [...path, at], isNew)
    })
    const all = await Promise.all(checks)
    return { problems: all.flatMap(one => one.problems), doubts: all.flatMap(one => one.doubts) }
  }

  return {
    /** What a provider refuses is a problem; one that is away is told, and keeps nobody from starting. */
    async checkProviders(
      db: Database,
      tenants: readonly DeclaredProviders[],
      { all }: { all: boolean },
    ): Promise<CheckedProviders> {
      const outgoing = openOutgoing({ allowLocal })
      try {
        const reach = { outgoing, allowLocal, nowMs: Date.now }
        const found = await Promise.all(tenants.map(tenant => checkTenant(db, { reach, all }, tenant)))
        return { problems: found.flatMap(one => one.problems), doubts: found.flatMap(one => one.doubts) }
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
      for (const [at, { draft, current }] of drafts.entries()) {
        const inWords = (change: ProviderChange) =>
          describe(change, draft.id, redirectUriOf(publicUrl, domain, draft.id))
        if (!current) {
          // The oldest comes first on the pages, so of one file each is a moment younger than the one above it.
          const provider = newProvider(secrets, tenantId, draft, new Date(now.getTime() + at))
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
