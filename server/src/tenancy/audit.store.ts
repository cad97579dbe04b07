import type { Database } from '../foundation/database/index.ts'
import { tenancyTables } from './tables.ts'

/** Who did something: a staff user, an API key, or the system itself (a job, a command). */
export type Actor =
  | { kind: 'user'; id: string; name: string }
  | { kind: 'key'; id: string; name: string }
  | { kind: 'system'; name: string }

/** One line of the audit trail. */
export interface AuditEntry {
  id: string
  at: Date
  actor: Actor
  /** What was done, noun and verb: `tenant.suspended`. */
  action: string
  /** What it was done to, as a reader knows it. */
  target: string
  details: Record<string, unknown>
  /** The network address that it came from; null where there was none. */
  address: string | null
}

/** Appends to a tenant's audit trail, or with `null` to the platform's own. */
export async function insertAuditEntry(
  db: Database,
  tenantId: string | null,
  entry: AuditEntry,
): Promise<void> {
  const columns = {
    id: entry.id,
    at: entry.at,
    actor_kind: entry.actor.kind,
    actor_id: entry.actor.kind === 'system' ? null : entry.actor.id,
    actor_name: entry.actor.name,
    action: entry.action,
    target: entry.target,
    details: JSON.stringify(entry.details),
    address: entry.address,
  }
  const tables = tenancyTables(db)
  if (tenantId === null) await tables.insertInto('platform_audit_entries').values(columns).execute()
  else
    await tables
      .insertInto('audit_entries')
      .values({ tenant_id: tenantId, ...columns })
      .execute()
}

/** The newest entries of a tenant's audit trail, or with `null` of the platform's own, newest first. */
export async function listAuditEntries(
  db: Database,
  tenantId: string | null,
  limit: number,
): Promise<AuditEntry[]> {
  const tables = tenancyTables(db)
  // Ids are UUIDv7, so the newest entry has the greatest id.
  const rows =
    tenantId === null
      ? await tables
          .selectFrom('platform_audit_entries')
          .selectAll()
          .orderBy('id', 'desc')
          .limit(limit)
          .execute()
      : await tables
          .selectFrom('audit_entries')
          .selectAll()
          .where('tenant_id', '=', tenantId)
          .orderBy('id', 'desc')
          .limit(limit)
          .execute()
  return rows.map(row => ({
    id: row.id,
    at: row.at,
    actor:
      row.actor_kind === 'system' || row.actor_id === null
        ? { kind: 'system', name: row.actor_name }
        : { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    action: row.action,
    target: row.target,
    details: row.details,
    address: row.address,
  }))
}
