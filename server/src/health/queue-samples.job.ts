import type { Database } from '../foundation/database/index.ts'
import type { JobDefinition } from '../jobs/index.ts'
import type { ReadQueueStates } from './health-ports.ts'
import { pruneQueueSamples, sampleQueues } from './sample-queues.ts'

/** Samples the queues every minute, for the charts, and keeps the samples for 30 days. */
export function queueSampleJobs(db: Database, readQueueStates: ReadQueueStates): JobDefinition[] {
  return [
    {
      name: 'sample-queues',
      queue: 'default',
      schedule: { everyS: 60 },
      // The next minute brings another sample, so that this one is not worth many attempts.
      retryLimit: 2,
      retryDelayS: 2,
      expireInS: 30,
      run: async () => {
        await sampleQueues(db, readQueueStates)
      },
    },
    {
      name: 'prune-queue-samples',
      queue: 'bulk',
      schedule: { everyS: 86_400, offsetS: 3 * 3_600 + 900 },
      run: async (_payload, { signal }) => {
        await pruneQueueSamples(db, signal)
      },
    },
  ]
}
