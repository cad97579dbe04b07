import type { Database, DatabaseTransaction } from '../foundation/database/index.ts'
import type { Secrets } from '../foundation/secrets/index.ts'
import type { Members } from '../members/index.ts'
import type { OAuth } from '../oauth/index.ts'

/** What the use cases of this room stand on. */
export interface SignInParts {
  db: Database
  members: Members
  oauth: Pick<OAuth, 'findClient' | 'issueCode'>
  secrets: Secrets
  /** The platform's address. */
  publicUrl: URL
  /** Sends a job within a transaction. */
  sendJob(trx: DatabaseTransaction, name: string, payload: Record<string, string>): Promise<unknown>
  /** Unix milliseconds. */
  nowMs(): number
}
