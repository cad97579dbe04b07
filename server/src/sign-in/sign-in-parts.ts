import type { Database, DatabaseTransaction } from '../foundation/database/index.ts'
import type { Secrets } from '../foundation/secrets/index.ts'
import type { Members } from '../members/index.ts'
import type { OAuth } from '../oauth/index.ts'
import { flowStorer, type StoreFlow } from './flows.store.ts'
import type { Social } from './social/open-social.ts'

/** What the use cases of this room stand on. */
export interface SignInParts {
  db: Database
  members: Members
  oauth: Pick<OAuth, 'findClient' | 'issueCode'>
  secrets: Secrets
  storeFlow: StoreFlow
  social: Social
  /** The platform's address. */
  publicUrl: URL
  /** Sends a job within a transaction. */
  sendJob(trx: DatabaseTransaction, name: string, payload: Record<string, string>): Promise<unknown>
  /** Unix milliseconds. */
  nowMs(): number
}

/** Opens the room on what it stands on. */
export const openSignIn = (given: Omit<SignInParts, 'storeFlow'>): SignInParts => ({
  ...given,
  storeFlow: flowStorer(given.db),
})
