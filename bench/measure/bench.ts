import type { LoadGenerator } from '../load/load-generator.ts'
import type { LoadJob, LoadResult } from '../load/load-job.ts'
import type { Options } from '../options.ts'
import type { Platform } from '../platform/start-platform.ts'

/** What every part of the bench stands on. */
export interface Bench {
  options: Options
  platform: Platform
  load: LoadGenerator
  /** A database on the platform's own PostgreSQL, for rivals. */
  rivalDatabaseUrl: string
  /** A folder that is removed at the end. */
  folder: string
  /** Events that the platform acknowledged since its log was empty. */
  acknowledged: number
  /** What went wrong: a bench with faults fails. */
  faults: string[]
  print(line: string): void
}

/** A load on the platform's collect route. */
export function onPlatform({ platform }: Bench): Pick<LoadJob, 'port' | 'host' | 'path'> {
  return { port: platform.port, host: platform.tenant.domain, path: '/api/sdk/events' }
}

/** Does a job, counts what the platform acknowledged, and notes errors as faults. */
export async function runLoad(bench: Bench, job: LoadJob, load = bench.load): Promise<LoadResult> {
  const result = await load.run(job)
  const where = job.port === bench.platform.port ? 'the platform' : 'a rival'
  if (where === 'the platform') bench.acknowledged += result.acceptedEvents
  for (const [error, count] of Object.entries(result.errors))
    bench.faults.push(`${count} × ${error} (from ${where}, ${job.eventsPerRequest} events a request)`)
  return result
}
