import type { OAuthClient } from './client.ts'
import type { IssueCode } from './issue-code.ts'

/** What the room keeps while the program runs. */
export interface OAuth {
  /** A tenant's client, enabled or not, from a cache that the database keeps fresh; undefined for an unknown one.
   *  Throws 503 when the database is away. */
  findClient(tenantId: string, clientId: string): Promise<OAuthClient | undefined>
  issueCode: IssueCode
}
