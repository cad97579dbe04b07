import { sql } from 'kysely'
import type { DatabaseTransaction } from '../foundation/database/index.ts'

export interface ScheduleToFire {
  name: string
  everyS: number
  offsetS: number
  /** The id for the job that is sent if the slot is won. */
  jobId: string
}

/** Takes the present slot of each schedule that has not been fired in it, and gives the names; the caller
 *  sends their jobs in the same transaction. The row is locked until that ends, so of several workers one
 *  gets the slot, and time is the database's, so they need not agree on it. A schedule whose last job still
 *  waits or runs on one of `queues` is passed over until it has ended. */
export async function takeSlots(
  trx: DatabaseTransaction,
  schedules: readonly ScheduleToFire[],
  queues: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    with due as (
      select w.name, w.job_id, slot.at as slot_at
      from unnest(
          ${schedules.map(s => s.name)}::text[],
          ${schedules.map(s => s.everyS)}::int[],
          ${schedules.map(s => s.offsetS)}::int[],
          ${schedules.map(s => s.jobId)}::uuid[]
        ) as w (name, every_s, offset_s, job_id)
        cross join lateral (
          select date_bin(make_interval(secs => w.every_s), now(),
            timestamptz '2000-01-01 00:00:00+00' + make_interval(secs => w.offset_s)) as at
        ) slot
        left join job_schedules s on s.name = w.name
      where s.slot_at is null or (s.slot_at < slot.at and not exists (
        select from pgboss.job j
        where j.name = any(${[...queues]}::text[]) and j.id = s.job_id and j.state < 'completed'))
    )
    insert into job_schedules as s (name, slot_at, job_id)
    select name, slot_at, job_id from due order by name
    on conflict (name) do update set slot_at = excluded.slot_at, job_id = excluded.job_id
    where s.slot_at < excluded.slot_at
    returning name`.execute(trx)
  return new Set(rows.map(row => row.name))
}
