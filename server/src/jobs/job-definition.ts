/** What a job carries: whatever JSON can say. It is stored, so it holds ids rather than secrets. */
export type JobPayload = { [key: string]: JsonValue }
type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

/** Slots of time in UTC: one begins every `everyS` seconds, counted from the start of a Saturday (2000-01-01)
 *  and moved by `offsetS`. `{ everyS: 86_400, offsetS: 10_800 }` is daily at 03:00. */
export interface JobSchedule {
  everyS: number
  offsetS?: number
}

export interface JobContext {
  id: string
  /** 1 at the first run. */
  attempt: number
  /** Aborted when the job has expired or the process stops without it. */
  signal: AbortSignal
}

/** How urgent a job is. `placeJob` says on which of the configured queues that is. */
export type JobUrgency = 'high' | 'default' | 'bulk'

/** A kind of background job. It runs at least once: a worker that dies, or loses the database after the work
 *  and before it could say so, leaves the job to another, so `run` must bear being repeated. */
export interface JobDefinition<Payload extends JobPayload = JobPayload> {
  /** Unique, in the words of the failed jobs' list, such as `prune-failed-jobs`. */
  name: string
  queue: JobUrgency
  /** Sends the job with an empty payload once a slot. A slot is left out while the job of an earlier one still
   *  waits or runs, and slots missed while no worker ran are made up for by one run. */
  schedule?: JobSchedule
  /** Runs after the first before the job counts as failed; 5 unless set. */
  retryLimit?: number
  /** The wait before the first retry, doubled for each further one up to an hour; 15 unless set. */
  retryDelayS?: number
  /** A run that takes longer is aborted and counts as failed; 300 unless set. */
  expireInS?: number
  run(payload: Payload, context: JobContext): Promise<void>
}

/** The configured queue for an urgency: the one of that name, else by rank (high is the first, bulk the last,
 *  default the one between). `queues` is USHER_QUEUES, most urgent first. Throws when there is none. */
export function placeJob(urgency: JobUrgency, queues: readonly string[]): string {
  const rank = { high: 0, default: Math.floor((queues.length - 1) / 2), bulk: queues.length - 1 }[urgency]
  const queue = queues.includes(urgency) ? urgency : queues[rank]
  if (queue === undefined) throw new Error('No background queue is configured. Set USHER_QUEUES.')
  return queue
}
