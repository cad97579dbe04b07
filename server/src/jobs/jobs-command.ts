import type { Database } from '../foundation/database/index.ts'
import { type FailedJob, listFailedJobs, retryFailedJobs } from './jobs.store.ts'

const USAGE = `usher jobs failed [--json]     lists the failed jobs, the newest first
usher jobs retry <id>...       lets these failed jobs run once more
usher jobs retry all           lets every failed job run once more`

const MOST_LISTED = 1_000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export interface CommandSurroundings {
  db: Database
  /** Prints a line for programs and people. */
  print(line: string): void
  /** Prints a line that says what went wrong. */
  complain(line: string): void
}

function describe(job: FailedJob): string {
  const when = job.failedAt.toISOString()
  const times = job.attempts === 1 ? 'once' : `${job.attempts} times`
  const message = job.error.message.split('\n', 1)[0]
  return `${job.id}  ${when}  ${job.queue}  ${job.name}, tried ${times}: ${message}`
}

async function listCommand(args: readonly string[], { db, print }: CommandSurroundings): Promise<number> {
  const jobs = await listFailedJobs(db, MOST_LISTED)
  if (args.includes('--json')) print(JSON.stringify(jobs))
  else if (jobs.length === 0) print('No job has failed.')
  else for (const job of jobs) print(describe(job))
  return 0
}

async function retryCommand(ids: readonly string[], around: CommandSurroundings): Promise<number> {
  const all = ids.length === 1 && ids[0] === 'all'
  const wrong = all ? [] : ids.filter(id => !UUID.test(id))
  if (wrong.length > 0) {
    around.complain(`${wrong.join(', ')}: not the id of a job. "usher jobs failed" lists them.`)
    return 1
  }
  const retried = await retryFailedJobs(around.db, all ? undefined : ids)
  if (all && retried.length === 0) around.print('No job has failed.')
  for (const id of retried) around.print(`${id} will run again.`)
  const missing = all ? [] : ids.filter(id => !retried.includes(id.toLowerCase()))
  for (const id of missing)
    around.complain(`${id}: no failed job has this id. It may have been retried, or pruned after 7 days.`)
  return missing.length > 0 ? 1 : 0
}

/** The command `usher jobs …`. `args` is what follows `jobs`; gives the exit code. */
export async function jobsCommand(args: readonly string[], around: CommandSurroundings): Promise<number> {
  const [verb, ...rest] = args
  try {
    if (verb === 'failed' && rest.every(arg => arg === '--json')) return await listCommand(rest, around)
    if (verb === 'retry' && rest.length > 0) return await retryCommand(rest, around)
  } catch (error) {
    // undefined_table, invalid_schema_name: pg-boss makes its schema when the server starts.
    if (!(error instanceof Error && 'code' in error && (error.code === '42P01' || error.code === '3F000')))
      throw error
    around.complain('No background jobs have been set up in this database yet. Start Usher on it first.')
    return 1
  }
  around.complain(USAGE)
  return 1
}
