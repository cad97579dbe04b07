import type { Database } from '../foundation/database/index.ts'
import type { JobDefinition } from './job-definition.ts'
import { pruneFailedJobs, pruneFinishedJobs } from './prune-jobs.ts'

/** The jobs that keep the jobs' own tables small: failed ones go after 7 days, finished ones after one. */
export function pruningJobs(db: Database): JobDefinition[] {
  return [
    {
      name: 'prune-failed-jobs',
      queue: 'bulk',
      schedule: { everyS: 86_400, offsetS: 3 * 3_600 },
      run: async (_payload, { signal }) => {
        await pruneFailedJobs(db, signal)
      },
    },
    {
      name: 'prune-finished-jobs',
      queue: 'bulk',
      schedule: { everyS: 3_600, offsetS: 300 },
      run: async (_payload, { signal }) => {
        await pruneFinishedJobs(db, signal)
      },
    },
  ]
}
