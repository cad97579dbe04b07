import { endChild, nextMessage, startWorker } from '../process/children.ts'
import type { LoadJob, LoadResult } from './load-job.ts'

/** The load generator's process. */
export interface LoadGenerator {
  /** Does one job at a time. */
  run(job: LoadJob): Promise<LoadResult>
  stop(): Promise<void>
}

/** For its start and for the last answers of a job. */
const graceMs = 30_000

/** Starts the load generator. */
export async function startLoadGenerator(): Promise<LoadGenerator> {
  const child = startWorker(new URL('main.ts', import.meta.url))
  await nextMessage(child, graceMs)
  return {
    async run(job) {
      child.process.send(job)
      const answer = await nextMessage<{ result: LoadResult } | { error: string }>(
        child,
        job.warmUpMs + job.measureMs + graceMs,
      )
      if ('error' in answer) throw new Error(`the load generator failed: ${answer.error}`)
      return answer.result
    },
    stop: () => endChild(child),
  }
}
