import type { Kysely } from 'kysely'
import type { Database } from '../foundation/database/index.ts'

interface OAuthClientsTable {
  tenant_id: string
  client_id: string
  name: string
  secret_hash: Buffer
  redirect_uris: string[]
  allowed_origins: string[]
  post_logout_redirect_uris: string[]
  backchannel_logout_uri: string | null
  pkce_required: boolean
  enabled: boolean
  created_at: Date
  updated_at: Date
  secret_changed_at: Date
}

interface AuthorizationCodesTable {
  tenant_id: string
  code_hash: Buffer
  client_id: string
  redirect_uri: string
  code_challenge: string | null
  expires_at: Date
  used_at: Date | null
  token_id: string | null
}

type OAuthTables = { oauth_clients: OAuthClientsTable; authorization_codes: AuthorizationCodesTable }

/** The database with this room's tables on it. */
export const oauthTables = (db: Database): Kysely<OAuthTables> => db.withTables<OAuthTables>()
