import { sql } from 'kysely'
import type { Database } from '../../foundation/database/index.ts'
import type { Attempt } from './attempt.ts'
import { socialTables } from './tables.ts'

export async function insertAttempt(db: Database, tenantId: string, attempt: Attempt): Promise<void> {
  const { purpose } = attempt
  await socialTables(db)
    .insertInto('social_attempts')
    .values({
      tenant_id: tenantId,
      state_hash: attempt.stateHash,
      browser_hash: attempt.browserHash,
      provider_id: attempt.providerId,
      flow_id: 'flowId' in purpose ? purpose.flowId : null,
      member_id: 'memberId' in purpose ? purpose.memberId : null,
      session_id: 'memberId' in purpose ? purpose.sessionId : null,
      sealed_checks: attempt.sealedChecks,
      created_at: attempt.createdAt,
      expires_at: attempt.expiresAt,
      used_at: null,
    })
    .execute()
}

/** Uses an attempt up; undefined if it is unknown, expired, used, of another provider, or of another browser. One
 *  statement, so of two answers at once exactly one goes on. */
export async function consumeAttempt(
  db: Database,
  tenantId: string,
  asked: { stateHash: Buffer; browserHash: Buffer; providerId: string; now: Date },
): Promise<Attempt | undefined> {
  const row = await socialTables(db)
    .updateTable('social_attempts')
    .set({ used_at: asked.now })
    .where('tenant_id', '=', tenantId)
    .where('state_hash', '=', asked.stateHash)
    .where('browser_hash', '=', asked.browserHash)
    .where('provider_id', '=', asked.providerId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', asked.now)
    .returningAll()
    .executeTakeFirst()
  if (!row) return undefined
  const { flow_id: flowId, member_id: memberId, session_id: sessionId } = row
  return {
    stateHash: row.state_hash,
    browserHash: row.browser_hash,
    providerId: row.provider_id,
    // One of the two, as the table says.
    purpose: flowId !== null ? { flowId } : { memberId: memberId ?? '', sessionId: sessionId ?? '' },
    sealedChecks: row.sealed_checks,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

/** The flow of an attempt, whatever has become of it and whosever browser it is of: to know what to begin anew, and in
 *  which language to answer. */
export async function findAttemptedFlow(
  db: Database,
  tenantId: string,
  stateHash: Buffer,
): Promise<string | undefined> {
  const row = await socialTables(db)
    .selectFrom('social_attempts')
    .select('flow_id')
    .where('tenant_id', '=', tenantId)
    .where('state_hash', '=', stateHash)
    .executeTakeFirst()
  return row?.flow_id ?? undefined
}

/** Deletes attempts that ended before then, of all tenants; answers how many, at most `limit`. */
export async function deleteAttemptsBefore(db: Database, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from social_attempts where (tenant_id, state_hash) in
    (select tenant_id, state_hash from social_attempts where expires_at < ${before} limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows)
}
