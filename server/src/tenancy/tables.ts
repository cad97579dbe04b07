import type { ColumnType, Generated, Kysely } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import type { Language, LoginMethod } from './tenant.ts'

interface TenantsTable {
  id: string
  slug: string
  name: string
  created_at: Date
  suspended_at: Date | null
  retention_days: Generated<number>
  queue_retention_days: Generated<number>
  shorten_addresses: Generated<boolean>
  bots: Generated<'mark' | 'drop'>
  site_hosts: Generated<string[]>
  secret_parameters: Generated<string[]>
  cookie_domain: string | null
  sign_up: Generated<'open' | 'closed'>
  login_methods: Generated<LoginMethod[]>
  brand_color: string | null
  logo_url: string | null
  languages: Generated<Language[]>
  access_token_ttl_s: Generated<number>
  mail_from: string | null
}

interface HostnamesTable {
  tenant_id: string
  host: string
  canonical: boolean
}

interface FeatureFlagsTable {
  tenant_id: string
  flag: string
  active: boolean
  changed_at: Date
}

interface StaffUsersTable {
  id: string
  email: string
  operator: boolean
  created_at: Date
}

interface TenantStaffTable {
  tenant_id: string
  user_id: string
  role: 'administrator' | 'viewer'
  created_at: Date
}

interface KeyColumns {
  id: string
  user_id: string
  name: string
  token_hash: Buffer
  abilities: string[]
  expires_at: Date | null
  revoked_at: Date | null
  created_at: Date
}

interface ApiKeysTable extends KeyColumns {
  tenant_id: string
}

interface AuditColumns {
  id: string
  at: Date
  actor_kind: 'user' | 'key' | 'system'
  actor_id: string | null
  actor_name: string
  action: string
  target: string
  // Written as JSON text: pg would send an array as a PostgreSQL array.
  details: ColumnType<Record<string, unknown>, string, never>
  address: string | null
}

interface AuditEntriesTable extends AuditColumns {
  tenant_id: string
}

type TenancyTables = {
  tenants: TenantsTable
  hostnames: HostnamesTable
  feature_flags: FeatureFlagsTable
  staff_users: StaffUsersTable
  tenant_staff: TenantStaffTable
  api_keys: ApiKeysTable
  platform_keys: KeyColumns
  audit_entries: AuditEntriesTable
  platform_audit_entries: AuditColumns
}

/** The database with this room's tables on it. */
export const tenancyTables = (db: Database): Kysely<TenancyTables> => db.withTables<TenancyTables>()
