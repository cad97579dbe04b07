import { hash } from 'node:crypto'
import type { Configuration } from 'openid-client'
import type { Database } from '../../foundation/database/index.ts'
import { createLookups } from '../../foundation/lookups.ts'
import { openOutgoing } from '../../foundation/outgoing/index.ts'
import type { Secrets } from '../../foundation/secrets/index.ts'
import type { Tenant } from '../../tenancy/index.ts'
import { connectProvider, type ProviderReach } from './connect-provider.ts'
import type { SocialProvider } from './provider.ts'
import { type ProviderFault, toProviderFault } from './provider-fault.ts'
import { openSecret } from './provider-secret.ts'
import { listProvidersOf } from './social-providers.store.ts'

/** The providers by which members sign in. */
export interface Social {
  /** The providers that a tenant's members are offered, from a cache that the database keeps fresh. Throws 503 when the
   *  database is away. */
  listOffered(tenantId: string): Promise<readonly SocialProvider[]>
  /** What it takes to talk to a provider, known from before or learnt now. Throws a ProviderFault. */
  connect(tenantId: string, provider: SocialProvider): Promise<Configuration>
  /** For checking what is saved. */
  reach: ProviderReach
  /** Tells of a provider that did not say who somebody is; but not of a member who thought better of it. */
  tellFault(tenant: TenantName, provider: SocialProvider, fault: ProviderFault): void
  /** Has the providers looked up again before they are offered. */
  invalidate(): void
  /** Ends all connections to providers. */
  close(): Promise<void>
}

type TenantName = Pick<Tenant, 'id' | 'slug'>

/** What is told of a provider, to be logged beside a sentence. */
export interface ToldFault {
  tenantId: string
  providerId: string
  /** Where the sentence says what to do, in place of `err`. */
  reason?: string
  err?: Error
}

interface Connected {
  stamp: string
  untilMs: number
  config: Promise<Configuration>
}

/** As long as a provider may take to be believed in what it has changed; keys that it changes are seen at once. */
const CONNECTED_MS = 600_000
const MAX_CONNECTED = 1_000

/** Opens it on a database. `allowLocal`: providers may be on this machine, and without https. */
export function openSocial({
  db,
  secrets,
  allowLocal,
  onFault,
  nowMs = Date.now,
}: {
  db: Database
  secrets: Secrets
  allowLocal: boolean
  onFault(what: ToldFault, sentence: string): void
  nowMs?: () => number
}): Social {
  const outgoing = openOutgoing({ allowLocal })
  const reach: ProviderReach = { outgoing, allowLocal, nowMs }
  const lookups = createLookups<readonly SocialProvider[]>({
    loadMany: tenantIds => listProvidersOf(db, tenantIds),
    refreshAfterMs: 5_000,
    expireAfterMs: 10_000,
    maxEntries: 10_000,
    deadlineMs: 2_000,
    reachability: { awayUntil: 0 },
    nowMs,
  })
  const connected = new Map<string, Connected>()

  return {
    reach,
    tellFault(tenant, { id: providerId, kind }, err) {
      if (err.kind === 'denied') return
      const of = { tenantId: tenant.id, providerId }
      if (err.kind !== 'refused') return onFault({ ...of, err }, 'a provider did not say who somebody is')
      const secret = kind === 'apple' ? 'private_key' : 'client_secret'
      onFault(
        { ...of, reason: err.message },
        `${secret} of social provider ${providerId} of tenant ${tenant.slug} was refused: save the new one`,
      )
    },
    async listOffered(tenantId) {
      const recent = lookups.recent(tenantId)
      const providers = recent ? recent.value : await lookups.load(tenantId)
      return providers?.filter(({ enabled }) => enabled) ?? []
    },
    async connect(tenantId, provider) {
      const { issuer, clientId, teamId, keyId, sealedSecret } = provider
      const key = `${tenantId} ${provider.id}`
      const stamp = JSON.stringify([issuer, clientId, teamId, keyId, hash('sha256', sealedSecret)])
      const known = connected.get(key)
      if (known?.stamp === stamp && known.untilMs > nowMs()) return known.config
      const secret = openSecret(secrets, tenantId, provider)
      const config = connectProvider(reach, { ...provider, secret }).catch(error => {
        if (connected.get(key)?.config === config) connected.delete(key)
        throw toProviderFault(error)
      })
      if (connected.size >= MAX_CONNECTED) connected.clear()
      connected.set(key, { stamp, untilMs: nowMs() + CONNECTED_MS, config })
      return config
    },
    invalidate: lookups.invalidate,
    close: outgoing.close,
  }
}
