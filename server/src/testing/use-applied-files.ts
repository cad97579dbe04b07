import { afterAll, beforeAll, beforeEach } from 'vitest'
import { findTenantBySlug, type Tenant, type TenantHooks } from '../tenancy/index.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { applyTestPlatform } from './platform.ts'

const MONITOR_TOKEN = 'monitor-token-of-at-least-32-characters'
/** The token of acme's key. */
export const CONSUMER_TOKEN = 'consumer-token-of-at-least-32-characters'
/** The environment that files are filled in from. */
export const env = { MONITOR_TOKEN, CONSUMER_TOKEN }

/** A file that declares something of every kind. */
export const FULL = `
operators: [Ops@Example.com]
platform_keys:
  - { name: monitor, operator: ops@example.com, token: "\${MONITOR_TOKEN}" }
tenants:
  - slug: acme
    name: Acme Daily
    domain: Members.Acme.localhost
    aliases: [accounts.acme.localhost]
    flags: [UseQueueEvents]
    events: { retention_days: 100, queue_retention_days: 7, shorten_addresses: true, bots: drop, site_hosts: [News.acme.localhost], secret_parameters: [ticket] }
    staff: [{ email: Admin@Acme.example, role: administrator }]
    keys: [{ name: consumer, user: admin@acme.example, token: "\${CONSUMER_TOKEN}", abilities: [events:delete, events:read], expires_at: 2027-12-31 }]
`

const declareTenant = (slug: string, fields: string) => `
tenants:
  - slug: ${slug}
    name: ${slug} name
    domain: members.${slug}.localhost
${fields.replace(/^/gm, '    ')}
`

/** A platform that files are applied to, with a tenant of its own for each test. */
export function useAppliedFiles() {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

  async function getTenant(slug: string): Promise<Tenant> {
    const tenant = await findTenantBySlug(database.db, slug)
    if (!tenant) throw new Error(`no tenant ${slug}`)
    return tenant
  }

  let count = 0
  let slug = ''
  beforeEach(() => {
    slug = `tenant-${++count}`
  })
  const declare = (fields: string, at = slug) => declareTenant(at, fields)
  const apply = (text: string, hooks?: Partial<TenantHooks>) =>
    applyTestPlatform(database, text, { env, ...(hooks && { hooks }) })

  return {
    getTenant,
    declare,
    apply,
    /** There once the tests run. */
    get database() {
      return database
    },
    /** Of the tenant of this test, which `declare` names. */
    get slug() {
      return slug
    },
  }
}
