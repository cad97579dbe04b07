import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import { createJobs } from '../jobs/index.ts'

/** Makes the tables of background jobs, as the first start of a process does. */
export async function makeJobTables(databaseUrl: string, queues: string[]): Promise<void> {
  const log = { debug() {}, warn() {} }
  const jobs = createJobs({ databaseUrl, queues, definitions: [], log })
  await jobs.start({ work: false })
  await jobs.stop(1_000)
}

/** A job in a state, as pg-boss would have left it. */
export async function leaveJob(
  db: Database,
  state: string,
  options: { queue?: string; ago?: string; output?: string } = {},
): Promise<string> {
  const { queue = 'default', ago = '1 minute', output = null } = options
  const { rows } = await sql<{ id: string }>`
    insert into pgboss.job (name, data, state, completed_on, output, keep_until)
    values (${queue}, '{"name": "fragile", "payload": {}}', ${state}::pgboss.job_state,
      case when ${state} in ('failed', 'completed', 'cancelled') then now() - ${ago}::interval end,
      ${output}::jsonb, now() + interval '1 year')
    returning id`.execute(db)
  return rows[0]?.id ?? ''
}

/** The state of a job, in pg-boss's words; undefined once it is gone. */
export async function findJobState(db: Database, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ state: string }>`select state from pgboss.job where id = ${id}`.execute(db)
  return rows[0]?.state
}
