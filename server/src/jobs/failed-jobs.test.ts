import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { findJobState, leaveJob } from '../testing/left-jobs.ts'
import {
  countFailed,
  countPending,
  createJobs,
  type JobDefinition,
  type Jobs,
  listFailedJobs,
  pruningJobs,
  retryFailedJobs,
} from './index.ts'

let database: TestDatabase
let sender: Jobs
let worker: Jobs | undefined
const queues = ['high', 'default', 'bulk']
const logged: { details: object; message: string }[] = []
const note = (details: object, message: string) => {
  logged.push({ details, message })
}
const log = { debug: note, warn: note }

/** Fails as long as `table mended` is empty. */
const fragile: JobDefinition<{ secret: string }> = {
  name: 'fragile',
  queue: 'default',
  retryLimit: 0,
  async run() {
    const { rows } = await sql`select from mended`.execute(database.db)
    if (rows.length > 0) return
    const cause = Object.assign(new Error('connect ECONNREFUSED smtp:25'), { password: 'hunter2' })
    throw new Error('The mail server is away.', { cause })
  },
}
const definitions = (): JobDefinition[] => [fragile, ...pruningJobs(database.db)]

beforeAll(async () => {
  database = await createTestDatabase()
  await sql`create table mended ()`.execute(database.db)
  sender = createJobs({ databaseUrl: database.url, queues, definitions: definitions(), log })
  await sender.start({ work: false })
})
afterEach(async () => {
  await worker?.stop(1_000)
  worker = undefined
  await sql`truncate mended`.execute(database.db)
  await sql`delete from pgboss.job`.execute(database.db)
  logged.length = 0
})
afterAll(async () => {
  await sender.stop(1_000)
  await database.drop()
})

async function work(): Promise<void> {
  const timing = { pollS: [0.5], scheduleMs: 60_000, superviseS: 1 }
  worker = createJobs({ databaseUrl: database.url, queues, definitions: definitions(), log, timing })
  await worker.start({ work: true })
}
const send = (name: string, payload = {}) =>
  database.db.transaction().execute(trx => sender.sendJob(trx, name, payload))
const eventually = (check: () => unknown) => expect.poll(check, { timeout: 10_000, interval: 50 })

describe('a failed job', () => {
  test('keeps its error with the causes, and nothing else of it', async () => {
    await work()
    const id = await send('fragile', { secret: 'swordfish' })
    await eventually(() => findJobState(database.db, id)).toBe('failed')
    const [job, ...others] = await listFailedJobs(database.db, 10)
    expect(others).toEqual([])
    expect(job).toEqual({
      id,
      queue: 'default',
      name: 'fragile',
      attempts: 1,
      failedAt: expect.any(Date),
      error: {
        name: 'Error',
        message: 'The mail server is away., because: connect ECONNREFUSED smtp:25',
        stack: expect.stringContaining('failed-jobs.test.ts'),
      },
    })
    const { rows } = await sql<{
      kept: string
    }>`select output::text as kept from pgboss.job where id = ${id}`.execute(database.db)
    expect(rows[0]?.kept).not.toContain('hunter2')
    expect(JSON.stringify(logged)).not.toContain('swordfish')
  })

  test('keeps a bounded error, whatever it contains', async () => {
    const awful: JobDefinition = {
      ...fragile,
      name: 'awful',
      run: () =>
        Promise.reject(
          Object.assign(new Error(`\0\ud800${'x'.repeat(100_000)}`), { stack: 's\0'.repeat(50_000) }),
        ),
    }
    worker = createJobs({
      databaseUrl: database.url,
      queues,
      definitions: [awful],
      log,
      timing: { pollS: [0.5] },
    })
    await worker.start({ work: true })
    const id = await database.db.transaction().execute(trx => (worker as Jobs).sendJob(trx, 'awful'))
    await eventually(() => findJobState(database.db, id)).toBe('failed')
    const [job] = await listFailedJobs(database.db, 10)
    expect(job?.error.message).toMatch(/^\ufffd\ufffdx{1998}$/)
    expect(job?.error.stack).toHaveLength(8_000)
  })

  test('of a name that this version does not know says so', async () => {
    const id = await send('fragile')
    await sql`update pgboss.job set data = '{"name": "from-the-future"}' where id = ${id}`.execute(
      database.db,
    )
    await work()
    await eventually(() => findJobState(database.db, id)).toBe('failed')
    const [job] = await listFailedJobs(database.db, 10)
    expect(job?.error.message).toContain('This version knows no job named "from-the-future".')
  })

  test.for([
    ['a timeout', '{"value": {"message": "job timed out"}}', 'job timed out'],
    ['a stopped worker', '{"value": "pg-boss shut down while active"}', 'pg-boss shut down while active'],
    ['nothing', null, 'The job failed and left no message.'],
  ] as const)('that pg-boss ended for %s is listed with its words', async ([, output, message]) => {
    await leaveJob(database.db, 'failed', output === null ? {} : { output })
    const [job] = await listFailedJobs(database.db, 10)
    expect(job?.error).toEqual({ name: 'Error', message, stack: '' })
  })

  test('runs again when it is retried, once however often that is asked', async () => {
    await work()
    const id = await send('fragile')
    await eventually(() => findJobState(database.db, id)).toBe('failed')
    await sql`insert into mended default values`.execute(database.db)
    const retried = await Promise.all([
      retryFailedJobs(database.db, [id]),
      retryFailedJobs(database.db, [id]),
    ])
    expect(retried.flat()).toEqual([id])
    await eventually(() => findJobState(database.db, id)).toBe('completed')
    expect(await retryFailedJobs(database.db, [id])).toEqual([])
  })

  test('can fail again after a retry', async () => {
    await work()
    const id = await send('fragile')
    await eventually(() => findJobState(database.db, id)).toBe('failed')
    await retryFailedJobs(database.db)
    await eventually(async () => (await listFailedJobs(database.db, 10))[0]?.attempts).toBe(2)
  })

  test('older than 7 days is pruned by the daily job, and can be retried until then', async () => {
    const old = await leaveJob(database.db, 'failed', { ago: '7 days 1 minute' })
    const recent = await leaveJob(database.db, 'failed', { ago: '6 days 23 hours 59 minutes' })
    const [daily, hourly] = pruningJobs(database.db)
    expect(daily).toMatchObject({ name: 'prune-failed-jobs', schedule: { everyS: 86_400 } })
    const finished = await leaveJob(database.db, 'completed', { ago: '25 hours' })
    const justFinished = await leaveJob(database.db, 'completed', { ago: '23 hours' })
    const signal = new AbortController().signal

    await daily?.run({}, { id: '', attempt: 1, signal })
    expect(await findJobState(database.db, old)).toBeUndefined()
    expect(await findJobState(database.db, recent)).toBe('failed')
    expect(await findJobState(database.db, finished)).toBe('completed')
    expect(await retryFailedJobs(database.db, [old, recent])).toEqual([recent])

    await hourly?.run({}, { id: '', attempt: 1, signal })
    expect(await findJobState(database.db, finished)).toBeUndefined()
    expect(await findJobState(database.db, justFinished)).toBe('completed')
    expect(await findJobState(database.db, recent)).toBe('retry')
  })

  test('is kept by pg-boss itself for its 7 days', async () => {
    const id = await send('fragile')
    const { rows } = await sql<{ days: number }>`
      select deletion_seconds / 86400 as days from pgboss.job where id = ${id}`.execute(database.db)
    expect(rows).toEqual([{ days: 8 }])
  })
})

describe('countPending', () => {
  test('counts new jobs and retries of the configured queues, not running or ended ones', async () => {
    await leaveJob(database.db, 'created', { queue: 'high' })
    await leaveJob(database.db, 'retry', { queue: 'high' })
    for (const state of ['active', 'completed', 'cancelled', 'failed'])
      await leaveJob(database.db, state, { queue: 'high' })
    await leaveJob(database.db, 'created', { queue: 'default' })
    expect(await countPending(database.db, ['high', 'bulk'])).toEqual({ high: 2, bulk: 0 })
    expect(Object.keys(await countPending(database.db, queues))).toEqual(queues)
  })
})

describe('countFailed', () => {
  test('counts the failed jobs of the last 7 days over all queues', async () => {
    await leaveJob(database.db, 'failed', { queue: 'high' })
    await leaveJob(database.db, 'failed', { queue: 'bulk', ago: '6 days' })
    await leaveJob(database.db, 'failed', { ago: '7 days 1 minute' })
    await leaveJob(database.db, 'completed')
    expect(await countFailed(database.db)).toBe(2)
  })

  test('reads only failed jobs', async () => {
    const { rows } = await sql<{ indexdef: string }>`
      select indexdef from pg_indexes where indexname = 'usher_failed_jobs'`.execute(database.db)
    expect(rows[0]?.indexdef).toContain('(completed_on) WHERE (state = ')
  })
})
