import { setTimeout as sleep } from 'node:timers/promises'
import { fromKysely, type JobWithMetadata, type PgBoss } from 'pg-boss'
import { type DatabaseTransaction, openDatabase } from '../foundation/database/index.ts'
import { withDeadline } from '../foundation/deadline.ts'
import { unavailable } from '../foundation/http/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import { faultLog, type JobsLog } from './fault-log.ts'
import { fireSchedules, repeat } from './fire-schedules.ts'
import { type JobDefinition, type JobPayload, placeJob } from './job-definition.ts'
import { makeFailedJobsIndex } from './jobs.store.ts'
import { openBoss, queueOptions } from './open-boss.ts'
import { type JobData, runJob } from './run-job.ts'

export interface JobsOptions {
  databaseUrl: string
  /** USHER_QUEUES: names of background queues, most urgent first. */
  queues: readonly string[]
  /** Every kind of job, also in a process that only sends them. */
  definitions: readonly JobDefinition[]
  log: JobsLog
  timing?: Partial<JobsTiming>
}

/** How often the machinery looks. Tests look more often. */
export interface JobsTiming {
  /** Seconds between looks at an empty queue, by rank; the last holds for all further queues. At least 0.5. */
  pollS: readonly number[]
  scheduleMs: number
  superviseS: number
}

const defaultTiming: JobsTiming = { pollS: [1, 2, 5], scheduleMs: 5_000, superviseS: 30 }

// Each queue has workers of its own, so that a long job of a lower one never holds up a more urgent one. Jobs
// mostly wait for others, so that these few keep up; more processes with role worker add more.
const WORKERS_OF_FIRST_QUEUE = 2
const WORKERS_OF_OTHER_QUEUES = 1

export interface Jobs {
  /** Makes the tables and queues, and with `work` begins to work the queues and to fire the schedules. Throws
   *  when the database is away; call it again then. */
  start(options: { work: boolean }): Promise<void>
  /** Sends a job within the caller's transaction, so that it exists exactly if its cause does. Gives its id.
   *  Throws on an unknown name, and 503 before `start` has ended. */
  sendJob(trx: DatabaseTransaction, name: string, payload?: JobPayload): Promise<string>
  /** Takes no further jobs, waits at most `timeoutMs` (at least a second) for those that run, and closes. What
   *  still runs then is aborted and left to be retried. */
  stop(timeoutMs: number): Promise<void>
}

/** The background jobs of this process. Connects to nothing before `start`. */
export function createJobs(options: JobsOptions): Jobs {
  const { queues, log } = options
  const timing = { ...defaultTiming, ...options.timing }
  const definitions = new Map(options.definitions.map(definition => [definition.name, definition]))
  if (definitions.size < options.definitions.length) throw new Error('Two jobs have the same name.')
  for (const definition of options.definitions) placeJob(definition.queue, queues)

  const database = openDatabase({
    url: options.databaseUrl,
    maxConnections: 4,
    connectTimeoutMs: 5_000,
    // Longer than requests have: pg-boss migrates and prunes with these connections.
    statementTimeoutMs: 60_000,
    applicationName: 'usher jobs',
  })
  const onFault = faultLog(log)
  let boss: PgBoss | undefined
  let schedules: { stop(): Promise<void> } | undefined

  async function send(
    sender: PgBoss,
    trx: DatabaseTransaction,
    name: string,
    payload: JobPayload,
    id: string,
  ): Promise<string> {
    const definition = definitions.get(name)
    if (!definition) throw new Error(`There is no job named ${JSON.stringify(name)}.`)
    const data: JobData = { name, payload }
    const sent = await sender.send(placeJob(definition.queue, queues), data, {
      db: fromKysely(trx),
      id,
      retryLimit: definition.retryLimit ?? 5,
      retryDelay: definition.retryDelayS ?? 15,
      expireInSeconds: definition.expireInS ?? 300,
    })
    if (sent === null) throw new Error(`The job ${name} with id ${id} exists already.`)
    return sent
  }

  async function startWorker(worker: PgBoss, queue: string, pollingIntervalSeconds: number): Promise<void> {
    let workerId = ''
    const handle = async ([job]: JobWithMetadata<JobData>[]) => {
      if (!job) return
      // Where there was one job there may be more: look again without the wait.
      worker.notifyWorker(workerId)
      const context = { id: job.id, attempt: job.retryCount + 1, signal: job.signal }
      await runJob(definitions, job.data, context, log)
    }
    const options = { pollingIntervalSeconds, includeMetadata: true } as const
    workerId = await worker.work<JobData, void, typeof options>(queue, options, handle)
  }

  async function startWorking(worker: PgBoss): Promise<void> {
    for (const [rank, queue] of queues.entries()) {
      const pollS = timing.pollS[rank] ?? timing.pollS.at(-1) ?? 1
      const workers = rank === 0 ? WORKERS_OF_FIRST_QUEUE : WORKERS_OF_OTHER_QUEUES
      for (let i = 0; i < workers; i++) await startWorker(worker, queue, pollS)
    }
    const fire = () =>
      fireSchedules(database.db, options.definitions, queues, async (trx, name, jobId) => {
        await send(worker, trx, name, {}, jobId)
      })
    schedules = repeat(timing.scheduleMs, fire, onFault)
  }

  return {
    async start({ work }) {
      const starting = openBoss({ database, supervise: work, superviseEveryS: timing.superviseS, onFault })
      try {
        await starting.start()
        for (const queue of queues) {
          await starting.createQueue(queue, queueOptions)
          await starting.updateQueue(queue, queueOptions)
        }
        await makeFailedJobsIndex(database.db)
        if (work) await startWorking(starting)
        boss = starting
      } catch (error) {
        await starting.stop({ graceful: false }).catch(onFault)
        throw error
      }
    },

    async sendJob(trx, name, payload = {}) {
      if (!boss) throw unavailable('Background jobs have not started yet. Try again shortly.')
      return send(boss, trx, name, payload, uuidv7())
    },

    async stop(timeoutMs) {
      const stopWorking = async () => {
        await boss?.stop({ graceful: true, timeout: timeoutMs })
        // The workers of aborted jobs still say that they ended: a moment for that while the pool is open.
        for (let look = 0; look < 20 && boss?.getWipData().length; look++) await sleep(50)
      }
      const stopAll = () => Promise.all([schedules?.stop(), stopWorking()])
      // Also with a database that does not answer: a little more than what the caller allows.
      await withDeadline(timeoutMs + 2_000, 'The background jobs', stopAll).catch(onFault)
      await withDeadline(2_000, 'The database of the background jobs', () => database.close()).catch(onFault)
    },
  }
}
