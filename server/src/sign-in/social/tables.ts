import type { SocialProviderKind } from '@usher/contract'
import type { Kysely } from 'kysely'
import type { Database } from '../../foundation/database/index.ts'

interface SocialProvidersTable {
  tenant_id: string
  id: string
  kind: SocialProviderKind
  name: string
  issuer: string
  client_id: string
  sealed_secret: Buffer
  team_id: string | null
  key_id: string | null
  enabled: boolean
  created_at: Date
  updated_at: Date
  secret_changed_at: Date
}

interface MemberIdentitiesTable {
  tenant_id: string
  issuer: string
  subject: string
  id: string
  member_id: string
  provider_id: string
  label: string
  created_at: Date
  last_used_at: Date
}

interface SocialAttemptsTable {
  tenant_id: string
  state_hash: Buffer
  browser_hash: Buffer
  provider_id: string
  flow_id: string | null
  member_id: string | null
  session_id: string | null
  sealed_checks: Buffer
  created_at: Date
  expires_at: Date
  used_at: Date | null
}

type SocialTables = {
  social_providers: SocialProvidersTable
  member_identities: MemberIdentitiesTable
  social_attempts: SocialAttemptsTable
}

/** The database with the tables of social login on it. */
export const socialTables = (db: Database): Kysely<SocialTables> => db.withTables<SocialTables>()
