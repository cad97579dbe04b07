import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'

/** Deletes mails that were made before then, of all tenants; answers how many, at most `limit`. */
export async function deleteMailsBefore(db: Database, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from sign_in_mails where (tenant_id, id) in
    (select tenant_id, id from sign_in_mails where created_at < ${before} limit ${limit})`.execute(db)
  return Number(numAffectedRows)
}

/** Deletes flows that ended before then and have no mail any more, of all tenants; answers how many. */
export async function deleteFlowsBefore(db: Database, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from sign_in_flows where (tenant_id, id) in
    (select f.tenant_id, f.id from sign_in_flows f where f.expires_at < ${before}
      and not exists (select from sign_in_mails m where m.tenant_id = f.tenant_id and m.flow_id = f.id)
      limit ${limit})`.execute(db)
  return Number(numAffectedRows)
}
