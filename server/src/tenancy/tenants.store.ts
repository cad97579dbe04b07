import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import { tenancyTables } from './tables.ts'
import type { Branding, EventSettings, SignInSettings, Tenant } from './tenant.ts'

/** The advisory lock of everything that changes the platform as a whole. */
const TENANCY_LOCK = 7_420_219_531

/** Holds off other changes of the platform until the transaction ends. */
export async function lockTenancy(trx: Database): Promise<void> {
  await sql`select pg_advisory_xact_lock(${TENANCY_LOCK})`.execute(trx)
}

const selectTenants = (db: Database) =>
  tenancyTables(db)
    .selectFrom('tenants')
    .innerJoin('hostnames as canonical', join =>
      join.onRef('canonical.tenant_id', '=', 'tenants.id').on('canonical.canonical', '=', true),
    )
    .selectAll('tenants')
    .select('canonical.host as domain')

type TenantRow = Awaited<ReturnType<ReturnType<typeof selectTenants>['executeTakeFirstOrThrow']>>

const settingColumns = [
  'retention_days',
  'queue_retention_days',
  'shorten_addresses',
  'bots',
  'site_hosts',
  'secret_parameters',
] as const

const toEventSettings = (row: Pick<TenantRow, (typeof settingColumns)[number]>): EventSettings => ({
  retentionDays: row.retention_days,
  queueRetentionDays: row.queue_retention_days,
  shortenAddresses: row.shorten_addresses,
  bots: row.bots,
  siteHosts: row.site_hosts,
  secretParameters: row.secret_parameters,
})

const signInColumns = ['sign_up', 'login_methods', 'access_token_ttl_s', 'mail_from'] as const

const toSignInSettings = (row: Pick<TenantRow, (typeof signInColumns)[number]>): SignInSettings => ({
  signUp: row.sign_up,
  loginMethods: row.login_methods,
  accessTokenTtlS: row.access_token_ttl_s,
  mailFrom: row.mail_from,
})

const brandingColumns = ['brand_color', 'logo_url', 'languages'] as const

const toBranding = (row: Pick<TenantRow, (typeof brandingColumns)[number]>): Branding => ({
  color: row.brand_color,
  logoUrl: row.logo_url,
  languages: row.languages,
})

const toTenant = (row: TenantRow): Tenant => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  domain: row.domain,
  createdAt: row.created_at,
  suspended: row.suspended_at !== null,
  cookieDomain: row.cookie_domain,
  signIn: toSignInSettings(row),
  branding: toBranding(row),
  events: toEventSettings(row),
})

/** Every tenant, oldest first. */
export async function listTenants(db: Database): Promise<Tenant[]> {
  const rows = await selectTenants(db).orderBy('tenants.created_at').orderBy('tenants.id').execute()
  return rows.map(toTenant)
}

export async function findTenantById(db: Database, tenantId: string): Promise<Tenant | undefined> {
  const row = await selectTenants(db).where('tenants.id', '=', tenantId).executeTakeFirst()
  return row && toTenant(row)
}

export async function findTenantBySlug(db: Database, slug: string): Promise<Tenant | undefined> {
  const row = await selectTenants(db).where('slug', '=', slug).executeTakeFirst()
  return row && toTenant(row)
}

/** A tenant by its slug, also one that has no domain yet. */
export async function findTenantName(
  db: Database,
  slug: string,
): Promise<{ id: string; slug: string; name: string } | undefined> {
  return tenancyTables(db)
    .selectFrom('tenants')
    .select(['id', 'slug', 'name'])
    .where('slug', '=', slug)
    .executeTakeFirst()
}

export async function findEventSettings(db: Database, tenantId: string): Promise<EventSettings | undefined> {
  const row = await tenancyTables(db)
    .selectFrom('tenants')
    .select(settingColumns)
    .where('id', '=', tenantId)
    .executeTakeFirst()
  return row && toEventSettings(row)
}

export async function findPageSettings(
  db: Database,
  tenantId: string,
): Promise<{ signIn: SignInSettings; branding: Branding } | undefined> {
  const row = await tenancyTables(db)
    .selectFrom('tenants')
    .select([...signInColumns, ...brandingColumns])
    .where('id', '=', tenantId)
    .executeTakeFirst()
  return row && { signIn: toSignInSettings(row), branding: toBranding(row) }
}

/** Whether there is neither a tenant nor anybody of the staff. */
export async function isPlatformEmpty(db: Database): Promise<boolean> {
  const tables = tenancyTables(db)
  const tenant = await tables.selectFrom('tenants').select('id').limit(1).executeTakeFirst()
  const user = await tables.selectFrom('staff_users').select('id').limit(1).executeTakeFirst()
  return !tenant && !user
}

/** The tenants of hosts, by host. `slugHosts` maps those of the hosts that are `{slug}.{platform host}` to
 *  their slugs; they go before any row of `hostnames`. */
export async function findTenantsByHost(
  db: Database,
  hosts: readonly string[],
  slugHosts: ReadonlyMap<string, string>,
): Promise<Map<string, Tenant>> {
  const hostOfSlug = new Map([...slugHosts].map(([host, slug]) => [slug, host]))
  const rows = await selectTenants(db)
    .leftJoin('hostnames as asked', join =>
      join
        .onRef('asked.tenant_id', '=', 'tenants.id')
        .on(sql<boolean>`asked.host = any(${[...hosts]}::text[])`),
    )
    .select('asked.host as asked')
    .where(eb =>
      eb.or([
        eb('asked.host', 'is not', null),
        sql<boolean>`tenants.slug = any(${[...hostOfSlug.keys()]}::text[])`,
      ]),
    )
    .execute()
  const found = new Map<string, Tenant>()
  for (const row of rows) if (row.asked !== null) found.set(row.asked, toTenant(row))
  for (const row of rows) {
    const host = hostOfSlug.get(row.slug)
    if (host !== undefined) found.set(host, toTenant(row))
  }
  return found
}

export async function insertTenant(
  db: Database,
  tenant: { id: string; slug: string; name: string; createdAt: Date },
): Promise<void> {
  await tenancyTables(db)
    .insertInto('tenants')
    .values({
      id: tenant.id,
      slug: tenant.slug,
      name: tenant.name,
      created_at: tenant.createdAt,
      suspended_at: null,
    })
    .execute()
}

export async function updateTenantName(db: Database, tenantId: string, name: string): Promise<void> {
  await tenancyTables(db).updateTable('tenants').set({ name }).where('id', '=', tenantId).execute()
}

export async function updateEventSettings(
  db: Database,
  tenantId: string,
  settings: EventSettings,
): Promise<void> {
  await tenancyTables(db)
    .updateTable('tenants')
    .set({
      retention_days: settings.retentionDays,
      queue_retention_days: settings.queueRetentionDays,
      shorten_addresses: settings.shortenAddresses,
      bots: settings.bots,
      site_hosts: [...settings.siteHosts],
      secret_parameters: [...settings.secretParameters],
    })
    .where('id', '=', tenantId)
    .execute()
}

export async function updateSignInSettings(
  db: Database,
  tenantId: string,
  settings: SignInSettings,
): Promise<void> {
  await tenancyTables(db)
    .updateTable('tenants')
    .set({
      sign_up: settings.signUp,
      login_methods: [...settings.loginMethods],
      access_token_ttl_s: settings.accessTokenTtlS,
      mail_from: settings.mailFrom,
    })
    .where('id', '=', tenantId)
    .execute()
}

export async function updateBranding(db: Database, tenantId: string, branding: Branding): Promise<void> {
  await tenancyTables(db)
    .updateTable('tenants')
    .set({ brand_color: branding.color, logo_url: branding.logoUrl, languages: [...branding.languages] })
    .where('id', '=', tenantId)
    .execute()
}

export async function findCookieDomain(db: Database, tenantId: string): Promise<string | null> {
  const row = await tenancyTables(db)
    .selectFrom('tenants')
    .select('cookie_domain')
    .where('id', '=', tenantId)
    .executeTakeFirst()
  return row?.cookie_domain ?? null
}

export async function updateCookieDomain(
  db: Database,
  tenantId: string,
  cookieDomain: string | null,
): Promise<void> {
  await tenancyTables(db)
    .updateTable('tenants')
    .set({ cookie_domain: cookieDomain })
    .where('id', '=', tenantId)
    .execute()
}

/** Suspends a tenant, or with `null` lets it go on. False when it was so already. */
export async function updateSuspension(
  db: Database,
  tenantId: string,
  suspendedAt: Date | null,
): Promise<boolean> {
  const result = await tenancyTables(db)
    .updateTable('tenants')
    .set({ suspended_at: suspendedAt })
    .where('id', '=', tenantId)
    .where('suspended_at', suspendedAt === null ? 'is not' : 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}
