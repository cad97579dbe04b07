import type { Kysely } from 'kysely'
import type { Database } from '../foundation/database/index.ts'

interface OAuthClientsTable {
  tenant_id: string
  client_id: string
  name: string
  secret_hash: Buffer
  redirect_uris: string[]
  allowed_origins: string[]
  pkce_required: boolean
  enabled: boolean
  created_at: Date
  updated_at: Date
  secret_changed_at: Date
}

type OAuthTables = { oauth_clients: OAuthClientsTable }

/** The database with this room's tables on it. */
export const oauthTables = (db: Database): Kysely<OAuthTables> => db.withTables<OAuthTables>()
