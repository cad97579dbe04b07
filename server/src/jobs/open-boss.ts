import { PgBoss } from 'pg-boss'
import type { OpenDatabase } from '../foundation/database/index.ts'

export interface BossOptions {
  database: OpenDatabase
  /** Whether this process looks after expired and abandoned jobs. */
  supervise: boolean
  superviseEveryS: number
  onFault: (fault: unknown) => void
}

/** pg-boss on our own pool. Its statements go to the pool rather than through Kysely, because some are whole
 *  transactions in one text, and the pool closes a connection on which a query failed, where Kysely would
 *  give it, with an aborted transaction open, to the next caller. */
export function openBoss(options: BossOptions): PgBoss {
  const { pool } = options.database
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    schema: 'pgboss',
    // Several processes may make or migrate the schema at once: pg-boss holds an advisory lock meanwhile.
    migrate: true,
    supervise: options.supervise,
    superviseIntervalSeconds: options.superviseEveryS,
    monitorIntervalSeconds: options.superviseEveryS,
    // Schedules are ours (fire-schedules.ts): pg-boss's own leave out a slot in whose minute no worker ran.
    schedule: false,
    // Jobs that wait for other jobs are not used here.
    flowIntervalSeconds: 3_600,
  })
  boss.on('error', options.onFault)
  boss.on('warning', ({ message, data }) =>
    options.onFault({ message: `${message}: ${JSON.stringify(data)}` }),
  )
  return boss
}

const DAY_S = 86_400

/** How long pg-boss itself keeps jobs, and when it takes a worker for dead. */
export const queueOptions = {
  // A day beyond what the daily pruning leaves, so that a failed job is never gone before its 7 days.
  deleteAfterSeconds: 8 * DAY_S,
  // Jobs that wait are not thrown away because no worker ran for two weeks, pg-boss's default.
  retentionSeconds: 365 * DAY_S,
  // Refreshed every half of it while a job runs; the job of a killed worker goes to another after it.
  heartbeatSeconds: 30,
  retryBackoff: true,
  retryDelayMax: 3_600,
} as const
