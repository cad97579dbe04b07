import type { Database } from '../../foundation/database/index.ts'
import type { Identity } from './identity.ts'
import { socialTables } from './tables.ts'

const selectIdentities = (db: Database, tenantId: string) =>
  socialTables(db).selectFrom('member_identities').selectAll().where('tenant_id', '=', tenantId)

type IdentityRow = Awaited<ReturnType<ReturnType<typeof selectIdentities>['executeTakeFirstOrThrow']>>

const toIdentity = (row: IdentityRow): Identity => ({
  id: row.id,
  memberId: row.member_id,
  issuer: row.issuer,
  subject: row.subject,
  providerId: row.provider_id,
  label: row.label,
  createdAt: row.created_at,
})

/** Whose account this is; undefined for one that nobody has linked. */
export async function findIdentity(
  db: Database,
  tenantId: string,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<Identity | undefined> {
  const row = await selectIdentities(db, tenantId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row && toIdentity(row)
}

/** A member's accounts, the oldest first. */
export async function listIdentities(db: Database, tenantId: string, memberId: string): Promise<Identity[]> {
  const rows = await selectIdentities(db, tenantId)
    .where('member_id', '=', memberId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toIdentity)
}

/** The same, held against other changes until the transaction ends, always in one order: of two who take away at once
 *  the second sees what the first has left. */
export async function lockIdentities(trx: Database, tenantId: string, memberId: string): Promise<Identity[]> {
  const rows = await selectIdentities(trx, tenantId)
    .where('member_id', '=', memberId)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map(toIdentity)
}

/** Links an account to a member. False when it is somebody's already. */
export async function insertIdentity(db: Database, tenantId: string, identity: Identity): Promise<boolean> {
  const result = await socialTables(db)
    .insertInto('member_identities')
    .values({
      tenant_id: tenantId,
      id: identity.id,
      member_id: identity.memberId,
      issuer: identity.issuer,
      subject: identity.subject,
      provider_id: identity.providerId,
      label: identity.label,
      created_at: identity.createdAt,
      last_used_at: identity.createdAt,
    })
    .onConflict(conflict => conflict.columns(['tenant_id', 'issuer', 'subject']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Notes by which provider an account came last, and what it is called there now. */
export async function noteUse(
  db: Database,
  tenantId: string,
  id: string,
  { providerId, label, now }: { providerId: string; label: string; now: Date },
): Promise<void> {
  await socialTables(db)
    .updateTable('member_identities')
    .set({ provider_id: providerId, label, last_used_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

export async function deleteIdentity(db: Database, tenantId: string, id: string): Promise<void> {
  await socialTables(db)
    .deleteFrom('member_identities')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}
