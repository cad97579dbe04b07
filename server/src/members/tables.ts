import type { ColumnType, Kysely } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import type { SessionKind } from './member.ts'
import type { TokenKind } from './member-token.ts'

interface MembersTable {
  tenant_id: string
  id: string
  email: string
  name: string | null
  created_at: Date
  updated_at: Date | null
}

interface MemberSessionsTable {
  tenant_id: string
  id: string
  member_id: string
  kind: SessionKind
  client_id: string | null
  user_agent: string
  address: string | null
  created_at: Date
  last_seen_at: Date
  last_seen_address: string | null
  expires_at: Date
  ended_at: Date | null
}

interface MemberTokensTable {
  tenant_id: string
  id: string
  session_id: string
  kind: TokenKind
  client_id: string | null
  issued_at: Date
  expires_at: Date
  revoked_at: Date | null
  browser_session_id: string | null
}

interface SigningKeysTable {
  tenant_id: string
  kid: string
  // Written as JSON text, read as what it says.
  public_jwk: ColumnType<Record<string, unknown>, string, never>
  sealed_private_key: Buffer
  created_at: Date
  signs_from: Date
  signs_until: Date | null
  published_until: Date | null
}

type MemberTables = {
  members: MembersTable
  member_sessions: MemberSessionsTable
  member_tokens: MemberTokensTable
  signing_keys: SigningKeysTable
}

/** The database with this room's tables on it. */
export const memberTables = (db: Database): Kysely<MemberTables> => db.withTables<MemberTables>()
