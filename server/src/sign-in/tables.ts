import type { Kysely } from 'kysely'
import type { Database } from '../foundation/database/index.ts'

interface SignInFlowsTable {
  tenant_id: string
  id: string
  browser_hash: Buffer
  client_id: string | null
  redirect_uri: string | null
  state: string | null
  code_challenge: string | null
  scope: string | null
  nonce: string | null
  max_age_s: number | null
  ui_locales: string | null
  member_hint: string | null
  prompt: 'login' | 'select_account' | null
  created_at: Date
  expires_at: Date
  finished_at: Date | null
}

interface SignInMailsTable {
  tenant_id: string
  id: string
  flow_id: string
  email: string
  sealed_code: Buffer
  wrong_codes: number
  created_at: Date
  expires_at: Date
  shown_at: Date | null
  used_at: Date | null
}

type SignInTables = {
  sign_in_flows: SignInFlowsTable
  sign_in_mails: SignInMailsTable
}

/** The database with this room's tables on it. */
export const signInTables = (db: Database): Kysely<SignInTables> => db.withTables<SignInTables>()
