import { PgBoss } from 'pg-boss'
import type { Drain } from './drain-job.ts'

const queue = 'events'
const perInsert = 5_000

/** Jobs that are fetched and completed. pg-boss parses them. */
export const drainBoss: Drain<'pg-boss'> = async ({ databaseUrl, sample, events: wanted, batch }, begin) => {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    schema: 'bench_boss',
    supervise: false,
    schedule: false,
  })
  boss.on('error', error => console.error(error))
  await boss.start()
  try {
    await boss.createQueue(queue)
    for (let filled = 0; filled < wanted; ) {
      const count = Math.min(perInsert, wanted - filled)
      const jobs = Array.from({ length: count }, (_, index) => ({
        data: JSON.parse(sample[(filled + index) % sample.length] ?? '{}'),
      }))
      await boss.insert(queue, jobs)
      filled += count
    }
    let events = 0
    begin()
    for (;;) {
      const jobs = await boss.fetch(queue, { batchSize: batch })
      if (jobs.length === 0) return events
      await boss.complete(
        queue,
        jobs.map(({ id }) => id),
      )
      events += jobs.length
    }
  } finally {
    await boss.stop({ graceful: false })
  }
}
