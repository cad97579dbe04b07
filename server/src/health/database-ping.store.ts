import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'

/** Resolves when the database answers. */
export async function pingDatabase(db: Database): Promise<void> {
  await sql`select 1`.execute(db)
}
