import type { Database } from '../foundation/database/index.ts'
import type { Flow } from './flow.ts'
import { signInTables } from './tables.ts'

export async function insertFlow(db: Database, tenantId: string, flow: Flow): Promise<void> {
  const { request } = flow
  await signInTables(db)
    .insertInto('sign_in_flows')
    .values({
      tenant_id: tenantId,
      id: flow.id,
      browser_hash: flow.browserHash,
      client_id: request?.clientId ?? null,
      redirect_uri: request?.redirectUri ?? null,
      state: request?.state ?? null,
      code_challenge: request?.codeChallenge ?? null,
      scope: request?.scope ?? null,
      nonce: request?.nonce ?? null,
      prompt: flow.prompt,
      created_at: flow.createdAt,
      expires_at: flow.expiresAt,
      finished_at: flow.finishedAt,
    })
    .execute()
}

/** A flow by its id, whatever has become of it. */
export async function findFlow(db: Database, tenantId: string, id: string): Promise<Flow | undefined> {
  const row = await signInTables(db)
    .selectFrom('sign_in_flows')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const { client_id: clientId, redirect_uri: redirectUri, state, scope, nonce } = row
  return {
    id: row.id,
    browserHash: row.browser_hash,
    request:
      clientId === null || redirectUri === null
        ? null
        : { clientId, redirectUri, state, codeChallenge: row.code_challenge, scope, nonce },
    prompt: row.prompt,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    finishedAt: row.finished_at,
  }
}

/** Finishes a flow; false if it has expired or was finished before. One statement, so that of two windows that act at
 *  once one is sent on. */
export async function finishFlow(db: Database, tenantId: string, id: string, now: Date): Promise<boolean> {
  const result = await signInTables(db)
    .updateTable('sign_in_flows')
    .set({ finished_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}
