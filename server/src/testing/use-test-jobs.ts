import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { createJobs, type JobDefinition, type Jobs } from '../jobs/index.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts'
import { findJobState } from './left-jobs.ts'

/** Processes with background jobs on one database, each of which is stopped when its test ends. */
export function useTestJobs() {
  let database: TestDatabase
  let proxy: DatabaseProxy
  const queues = ['high', 'default', 'bulk']
  const timing = { pollS: [0.5], scheduleMs: 100, superviseS: 1 }
  const started: Jobs[] = []
  const logged: { details: object; message: string }[] = []
  const note = (details: object, message: string) => {
    logged.push({ details, message })
  }
  const log = { debug: note, warn: note }

  beforeAll(async () => {
    database = await createTestDatabase()
    proxy = await startDatabaseProxy(database.url)
    await sql`create table runs (job text not null, detail text, at timestamptz not null default clock_timestamp())`.execute(
      database.db,
    )
  })
  afterEach(async () => {
    await proxy.restore()
    await Promise.all(started.splice(0).map(jobs => jobs.stop(1_000)))
    await sql`truncate runs, job_schedules`.execute(database.db)
    if (await hasSchema()) await sql`delete from pgboss.job`.execute(database.db)
    logged.length = 0
  })
  afterAll(async () => {
    await proxy.close()
    await database.drop()
  })

  async function hasSchema(): Promise<boolean> {
    const { rows } = await sql<{
      made: boolean
    }>`select to_regclass('pgboss.job') is not null as made`.execute(database.db)
    return rows[0]?.made ?? false
  }

  function open(definitions: JobDefinition[], url = database.url): Jobs {
    const jobs = createJobs({ databaseUrl: url, queues, definitions, log, timing })
    started.push(jobs)
    return jobs
  }

  const noteRun = async (job: string, detail = '') => {
    await sql`insert into runs (job, detail) values (${job}, ${detail})`.execute(database.db)
  }
  async function runs(job: string): Promise<string[]> {
    const { rows } = await sql<{
      detail: string
    }>`select detail from runs where job = ${job} order by at`.execute(database.db)
    return rows.map(row => row.detail)
  }
  const send = (jobs: Jobs, name: string, payload = {}) =>
    database.db.transaction().execute(trx => jobs.sendJob(trx, name, payload))
  const greet: JobDefinition<{ name: string }> = {
    name: 'greet',
    queue: 'high',
    run: payload => noteRun('greet', payload.name),
  }
  const eventually = (check: () => unknown, timeout = 10_000) => expect.poll(check, { timeout, interval: 50 })

  return {
    queues,
    log,
    /** What was logged during this test. */
    logged,
    open,
    noteRun,
    runs,
    send,
    greet,
    eventually,
    stateOf: (id: string) => findJobState(database.db, id),
    /** There once the tests run, as is the proxy, by which some processes reach it. */
    get database() {
      return database
    },
    get proxy() {
      return proxy
    },
  }
}
