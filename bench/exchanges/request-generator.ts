import { endChild, nextMessage, startWorker } from '../process/children.ts'
import type { RequestJob, RequestResult } from './request-job.ts'

/** The load generator's process. */
export interface RequestGenerator {
  /** Does one job at a time. */
  run(job: RequestJob): Promise<RequestResult>
  stop(): Promise<void>
}

/** For its start, and for the last answers of a job. */
const graceMs = 30_000

/** Starts a load generator. */
export async function startRequestGenerator(): Promise<RequestGenerator> {
  const child = startWorker(new URL('load-main.ts', import.meta.url))
  await nextMessage(child, graceMs)
  return {
    async run(job) {
      child.process.send(job)
      const answer = await nextMessage<{ result: RequestResult } | { error: string }>(
        child,
        job.warmUpMs + job.measureMs + graceMs,
      )
      if ('error' in answer) throw new Error(`the load generator failed: ${answer.error}`)
      return answer.result
    },
    stop: () => endChild(child),
  }
}
