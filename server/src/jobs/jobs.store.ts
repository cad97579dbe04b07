import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import { type KeptError, readKeptError } from './job-failure.ts'

// The tables of pg-boss 12, schema `pgboss`: states are ordered created < retry < active < completed <
// cancelled < failed, and `state < 'active'` is what its index job_i5 is made for.

/** Jobs of each queue that wait to run, for the first time or again (interface 2.3, decisions "Health").
 *  Reads the index of waiting jobs only. */
export async function countPending(db: Database, queues: readonly string[]): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; pending: number }>`
    select q.name, (
      select count(*) from pgboss.job j where j.name = q.name and j.state < 'active' and not j.blocked
    ) as pending
    from unnest(${[...queues]}::text[]) with ordinality as q (name, rank) order by q.rank`.execute(db)
  return Object.fromEntries(rows.map(row => [row.name, row.pending]))
}

/** Jobs of all queues that failed in the last 7 days (interface 2.3). */
export async function countFailed(db: Database): Promise<number> {
  const { rows } = await sql<{ failed: number }>`
    select count(*) as failed from pgboss.job
    where state = 'failed' and completed_on >= now() - interval '7 days'`.execute(db)
  return rows[0]?.failed ?? 0
}

/** A job that ran out of retries. Its payload stays in the database. */
export interface FailedJob {
  id: string
  queue: string
  name: string
  attempts: number
  failedAt: Date
  error: KeptError
}

/** The failed jobs that have not been pruned, the newest first. */
export async function listFailedJobs(db: Database, limit: number): Promise<FailedJob[]> {
  interface Row {
    id: string
    queue: string
    name: string | null
    attempts: number
    failed_at: Date
    output: unknown
  }
  const { rows } = await sql<Row>`
    select id, name as queue, data->>'name' as name, retry_count + 1 as attempts, completed_on as failed_at, output
    from pgboss.job where state = 'failed' order by completed_on desc, id limit ${limit}`.execute(db)
  return rows.map(row => ({
    id: row.id,
    queue: row.queue,
    name: row.name ?? '',
    attempts: row.attempts,
    failedAt: row.failed_at,
    error: readKeptError(row.output),
  }))
}

/** Lets failed jobs run once more, at once; all of them where no ids are given. Gives the ids that it found
 *  failed. One statement, so of two calls at once one gets the job. */
export async function retryFailedJobs(db: Database, ids?: readonly string[]): Promise<string[]> {
  const chosen = ids ? sql`and id = any(${[...ids]}::uuid[])` : sql``
  const { rows } = await sql<{ id: string }>`
    update pgboss.job set state = 'retry', retry_limit = retry_limit + 1, completed_on = null, start_after = now(),
      keep_until = greatest(keep_until, now() + interval '1 day')
    where state = 'failed' ${chosen} returning id`.execute(db)
  return rows.map(row => row.id)
}

async function deleteJobs(db: Database, which: ReturnType<typeof sql>, batch: number): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with chosen as (select name, id from pgboss.job where ${which} limit ${batch} for update skip locked),
      gone as (delete from pgboss.job j using chosen c where j.name = c.name and j.id = c.id returning 1)
    select count(*) as deleted from gone`.execute(db)
  return rows[0]?.deleted ?? 0
}

/** Deletes at most `batch` jobs that failed more than 7 days ago, and says how many. */
export function deleteOldFailedJobs(db: Database, batch: number): Promise<number> {
  return deleteJobs(db, sql`state = 'failed' and completed_on < now() - interval '7 days'`, batch)
}

/** Deletes at most `batch` jobs that ended well more than a day ago, and says how many. */
export function deleteOldFinishedJobs(db: Database, batch: number): Promise<number> {
  return deleteJobs(
    db,
    sql`state in ('completed', 'cancelled') and completed_on < now() - interval '1 day'`,
    batch,
  )
}

/** Makes the index for counting, listing and pruning failed jobs, which pg-boss has none for. Looks before it
 *  locks; several processes may call it at once. */
export async function makeFailedJobsIndex(db: Database): Promise<void> {
  const { rows } = await sql<{ made: boolean }>`
    select to_regclass('pgboss.usher_failed_jobs') is not null as made`.execute(db)
  if (rows[0]?.made) return
  await db.transaction().execute(async trx => {
    await sql`select pg_advisory_xact_lock(7420219532)`.execute(trx)
    await sql`create index if not exists usher_failed_jobs on pgboss.job_common (completed_on)
      where state = 'failed'`.execute(trx)
  })
}
