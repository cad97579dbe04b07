import { sql } from 'kysely'
import type { Database } from '../../foundation/database/index.ts'
import { type Ability, abilities, findTenantBySlug } from '../../tenancy/index.ts'
import { makeToken } from '../../tenancy/key-token.ts'
import { revokeKey } from '../../tenancy/revoke-key.ts'
import { suspendTenant } from '../../tenancy/suspend-tenant.ts'
import { applyTestPlatform, testHooks } from '../platform.ts'
import { tokens } from '../whole-platform.ts'
import { changingClientId, contractClient, contractOrigin } from './operations.ts'

const token = (name: string) => `contract-${name.replace(':', '-')}-key-of-32-characters-or-more`

/** Keys that the contract tests present, each by what is the matter with it. */
export const keys = {
  acme: tokens.acme,
  globe: tokens.globe,
  operator: tokens.operator,
  /** Of acme, but its user is staff of globe too. */
  acmeBoth: token('acme-both'),
  globeBoth: token('globe-both'),
  acmeExpired: token('acme-expired'),
  acmeRevoked: token('acme-revoked'),
  acmeLeft: token('acme-left'),
  platformExpired: token('platform-expired'),
  platformRevoked: token('platform-revoked'),
  platformLeft: token('platform-left'),
  suspended: token('suspended'),
  unknown: token('unknown'),
  madeUnknown: makeToken('organization'),
  madeUnknownPlatform: makeToken('platform'),
}

/** A key of acme, or of the platform, that may do everything but one thing. */
export const keyWithout = (ability: Ability, owner: 'acme' | 'platform'): string =>
  token(`${owner}-without-${ability}`)

/** A token whose last character was mistyped. */
export const mistyped = (made: string): string => made.slice(0, -1) + (made.endsWith('0') ? '1' : '0')

/** One key for each ability that is missing. */
const incomplete = (owner: 'acme' | 'platform', whose: object) =>
  abilities.map(ability => ({
    name: `without ${ability}`,
    ...whose,
    token: keyWithout(ability, owner),
    abilities: abilities.filter(other => other !== ability),
  }))

const operator = { operator: 'ops@example.com' }
const administrator = { user: 'admin@acme.example' }

const redirects = { redirect_uris: ['https://shop.example/callback'] }
const sharedClient = { ...contractClient, name: 'Contract', ...redirects, allowed_origins: [contractOrigin] }
const changingClient = { client_id: changingClientId, name: 'Changing', ...redirects }
/** What globe calls its own client. */
export const clientOfGlobe = { client_id: 'client-of-globe', name: 'The Client of Globe' }

/** Beside what the whole platform has. YAML, of which JSON is a part. */
const platformFile = JSON.stringify({
  operators: ['ops@example.com', 'left@example.com'],
  platform_keys: [
    { name: 'expired', ...operator, token: keys.platformExpired, expires_at: '2020-01-01' },
    { name: 'revoked', ...operator, token: keys.platformRevoked },
    { name: 'left', operator: 'left@example.com', token: keys.platformLeft },
    { name: 'made', ...operator },
    ...incomplete('platform', operator),
  ],
  tenants: [
    {
      slug: 'acme',
      name: 'Acme Daily',
      domain: 'members.acme.example',
      staff: [
        { email: 'left@acme.example', role: 'administrator' },
        { email: 'both@example.com', role: 'viewer' },
      ],
      keys: [
        { name: 'expired', ...administrator, token: keys.acmeExpired, expires_at: '2020-01-01' },
        { name: 'revoked', ...administrator, token: keys.acmeRevoked },
        { name: 'left', user: 'left@acme.example', token: keys.acmeLeft },
        { name: 'both', user: 'both@example.com', token: keys.acmeBoth },
        { name: 'made', ...administrator },
        ...incomplete('acme', administrator),
      ],
      clients: [sharedClient, changingClient],
    },
    {
      slug: 'globe',
      name: 'The Globe',
      domain: 'members.globe.example',
      flags: ['UseQueueEvents'],
      staff: [{ email: 'both@example.com', role: 'viewer' }],
      keys: [{ name: 'both', user: 'both@example.com', token: keys.globeBoth }],
      clients: [sharedClient, changingClient, { ...clientOfGlobe, ...redirects }],
    },
    {
      slug: 'gone',
      name: 'Gone',
      domain: 'members.gone.example',
      aliases: ['accounts.gone.example'],
      flags: ['UseQueueEvents'],
      staff: [{ email: 'admin@gone.example', role: 'administrator' }],
      keys: [{ name: 'consumer', token: keys.suspended }],
    },
  ],
})

/** Makes the tenants and keys of the contract tests. Answers the tokens that were made by the platform itself. */
export async function declareKeys(db: Database): Promise<{ acmeMade: string; platformMade: string }> {
  const { madeKeys } = await applyTestPlatform({ db }, platformFile, { hooks: testHooks() })
  const actor = { kind: 'system', name: 'test' } as const
  const now = new Date()
  const acme = await findTenantBySlug(db, 'acme')
  await revokeKey(db, acme?.id ?? '', { name: 'revoked', actor, now })
  await revokeKey(db, null, { name: 'revoked', actor, now })
  await suspendTenant(db, { slug: 'gone', suspend: true, actor, now })
  await sql`delete from tenant_staff s using staff_users u
    where u.id = s.user_id and u.email = 'left@acme.example'`.execute(db)
  await sql`update staff_users set operator = false where email = 'left@example.com'`.execute(db)
  const made = (tenant: string | undefined) => madeKeys.find(key => key.tenant === tenant)?.token ?? ''
  return { acmeMade: made('acme'), platformMade: made(undefined) }
}
