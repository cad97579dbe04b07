import type { Database } from '../foundation/database/index.ts'
import type { JobDefinition } from '../jobs/index.ts'
import { type ExpireOptions, expireEvents, type TenantRetention } from './expire-events.ts'
import { forgetRemovals } from './forget-removals.ts'
import { prepareLogs } from './prepare-logs.ts'

const dayS = 86_400

export interface EventJobsOptions {
  db: Database
  listRetentions(): Promise<TenantRetention[]>
  auditExpiry: ExpireOptions['auditExpiry']
}

/** The upkeep of logs and queues. */
export function eventJobs({ db, listRetentions, auditExpiry }: EventJobsOptions): JobDefinition[] {
  return [
    {
      name: 'make-partitions',
      queue: 'high',
      schedule: { everyS: dayS / 4 },
      run: () => prepareLogs(db, new Date()),
    },
    {
      name: 'expire-events',
      queue: 'bulk',
      schedule: { everyS: dayS, offsetS: 2 * 3_600 },
      expireInS: 4 * 3_600,
      run: async (_payload, { signal }) =>
        expireEvents({ db, now: new Date(), tenants: await listRetentions(), auditExpiry, signal }),
    },
    {
      name: 'forget-removal-keys',
      queue: 'bulk',
      schedule: { everyS: 3_600 },
      run: () => forgetRemovals(db, new Date()),
    },
  ]
}
