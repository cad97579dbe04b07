import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import type { QueueState } from './health-ports.ts'

/** Keeps a sample of each queue, with the rate at which consumers removed since the sample before: null for the
 *  first, and where the head was moved back meanwhile. One statement; gives the number of samples. */
export async function insertQueueSamples(db: Database, states: readonly QueueState[]): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into queue_samples (tenant_id, queue, taken_at, depth, oldest_age_s, head_position, removed_per_s)
    select s.tenant_id, s.queue, now(), s.depth, s.oldest_age_s, s.head_position,
      case when s.head_position >= before.head_position then
        (s.head_position - before.head_position) / nullif(extract(epoch from now() - before.taken_at), 0)::float8
      end
    from unnest(
        ${states.map(state => state.tenantId)}::uuid[],
        ${states.map(state => state.queue)}::text[],
        ${states.map(state => state.depth)}::bigint[],
        ${states.map(state => state.oldestAgeS)}::bigint[],
        ${states.map(state => state.headPosition)}::bigint[]
      ) as s (tenant_id, queue, depth, oldest_age_s, head_position)
      left join lateral (
        select head_position, taken_at from queue_samples q
        where q.tenant_id = s.tenant_id and q.queue = s.queue order by taken_at desc limit 1
      ) before on true`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Deletes at most `batch` samples older than 30 days, and says how many. */
export async function deleteOldQueueSamples(db: Database, batch: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from queue_samples where ctid = any(array(
      select ctid from queue_samples where taken_at < now() - interval '30 days' limit ${batch}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
