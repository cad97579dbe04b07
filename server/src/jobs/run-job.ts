import type { JobsLog } from './fault-log.ts'
import type { JobContext, JobDefinition, JobPayload } from './job-definition.ts'
import { JobFailure } from './job-failure.ts'

/** What is stored of a job: its kind and its payload. */
export interface JobData {
  name: string
  payload: JobPayload
}

/** Runs a job by its definition. Throws JobFailure, which pg-boss keeps with the job. */
export async function runJob(
  definitions: ReadonlyMap<string, JobDefinition>,
  data: JobData,
  context: JobContext,
  log: JobsLog,
): Promise<void> {
  const about = { job: data.name, jobId: context.id, attempt: context.attempt }
  const startedMs = performance.now()
  try {
    const definition = definitions.get(data.name)
    if (!definition)
      throw new Error(
        `This version knows no job named ${JSON.stringify(data.name)}. Start a version that does, then retry it.`,
      )
    await definition.run(data.payload, context)
    log.debug({ ...about, ms: Math.round(performance.now() - startedMs) }, 'job done')
  } catch (error) {
    const failure = new JobFailure(error)
    log.warn({ ...about, err: failure }, 'job failed')
    throw failure
  }
}
