import type { Database } from '../foundation/database/index.ts'
import type { JobDefinition } from '../jobs/index.ts'
import { pruneCodes } from './prune-codes.ts'

/** The upkeep of authorization codes. */
export function oauthJobs(db: Database): JobDefinition[] {
  return [
    {
      name: 'prune-authorization-codes',
      queue: 'bulk',
      schedule: { everyS: 3_600, offsetS: 900 },
      run: (_payload, { signal }) => pruneCodes(db, new Date(), signal),
    },
  ]
}
