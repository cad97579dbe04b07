import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import {
  countFailed,
  countPending,
  createJobs,
  type JobDefinition,
  type Jobs,
  jobsCommand,
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

async function stateOf(id: string): Promise<string | undefined> {
  const { rows } = await sql<{ state: string }>`select state from pgboss.job where id = ${id}`.execute(
    database.db,
  )
  return rows[0]?.state
}

/** A job in a state, as pg-boss would have left it. */
async function leaveJob(state: string, options: { queue?: string; ago?: string; output?: string } = {}) {
  const { queue = 'default', ago = '1 minute', output = null } = options
  const { rows } = await sql<{ id: string }>`
    insert into pgboss.job (name, data, state, completed_on, output, keep_until)
    values (${queue}, '{"name": "fragile", "payload": {}}', ${state}::pgboss.job_state,
      case when ${state} in ('failed', 'completed', 'cancelled') then now() - ${ago}::interval end,
      ${output}::jsonb, now() + interval '1 year')
    returning id`.execute(database.db)
  return rows[0]?.id ?? ''
}

describe('a failed job', () => {
  test('keeps its error with the causes, and nothing else of it', async () => {
    await work()
    const id = await send('fragile', { secret: 'swordfish' })
    await eventually(() => stateOf(id)).toBe('failed')
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
    await eventually(() => stateOf(id)).toBe('failed')
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
    await eventually(() => stateOf(id)).toBe('failed')
    const [job] = await listFailedJobs(database.db, 10)
    expect(job?.error.message).toContain('This version knows no job named "from-the-future".')
  })

  test.for([
    ['a timeout', '{"value": {"message": "job timed out"}}', 'job timed out'],
    ['a stopped worker', '{"value": "pg-boss shut down while active"}', 'pg-boss shut down while active'],
    ['nothing', null, 'The job failed and left no message.'],
  ] as const)('that pg-boss ended for %s is listed with its words', async ([, output, message]) => {
    await leaveJob('failed', output === null ? {} : { output })
    const [job] = await listFailedJobs(database.db, 10)
    expect(job?.error).toEqual({ name: 'Error', message, stack: '' })
  })

  test('runs again when it is retried, once however often that is asked', async () => {
    await work()
    const id = await send('fragile')
    await eventually(() => stateOf(id)).toBe('failed')
    await sql`insert into mended default values`.execute(database.db)
    const retried = await Promise.all([
      retryFailedJobs(database.db, [id]),
      retryFailedJobs(database.db, [id]),
    ])
    expect(retried.flat()).toEqual([id])
    await eventually(() => stateOf(id)).toBe('completed')
    expect(await retryFailedJobs(database.db, [id])).toEqual([])
  })

  test('can fail again after a retry', async () => {
    await work()
    const id = await send('fragile')
    await eventually(() => stateOf(id)).toBe('failed')
    await retryFailedJobs(database.db)
    await eventually(async () => (await listFailedJobs(database.db, 10))[0]?.attempts).toBe(2)
  })

  test('older than 7 days is pruned by the daily job, and can be retried until then', async () => {
    const old = await leaveJob('failed', { ago: '7 days 1 minute' })
    const recent = await leaveJob('failed', { ago: '6 days 23 hours 59 minutes' })
    const [daily, hourly] = pruningJobs(database.db)
    expect(daily).toMatchObject({ name: 'prune-failed-jobs', schedule: { everyS: 86_400 } })
    const finished = await leaveJob('completed', { ago: '25 hours' })
    const justFinished = await leaveJob('completed', { ago: '23 hours' })
    const signal = new AbortController().signal

    await daily?.run({}, { id: '', attempt: 1, signal })
    expect(await stateOf(old)).toBeUndefined()
    expect(await stateOf(recent)).toBe('failed')
    expect(await stateOf(finished)).toBe('completed')
    expect(await retryFailedJobs(database.db, [old, recent])).toEqual([recent])

    await hourly?.run({}, { id: '', attempt: 1, signal })
    expect(await stateOf(finished)).toBeUndefined()
    expect(await stateOf(justFinished)).toBe('completed')
    expect(await stateOf(recent)).toBe('retry')
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
    await leaveJob('created', { queue: 'high' })
    await leaveJob('retry', { queue: 'high' })
    for (const state of ['active', 'completed', 'cancelled', 'failed'])
      await leaveJob(state, { queue: 'high' })
    await leaveJob('created', { queue: 'default' })
    expect(await countPending(database.db, ['high', 'bulk'])).toEqual({ high: 2, bulk: 0 })
    expect(Object.keys(await countPending(database.db, queues))).toEqual(queues)
  })
})

describe('countFailed', () => {
  test('counts the failed jobs of the last 7 days over all queues', async () => {
    await leaveJob('failed', { queue: 'high' })
    await leaveJob('failed', { queue: 'bulk', ago: '6 days' })
    await leaveJob('failed', { ago: '7 days 1 minute' })
    await leaveJob('completed')
    expect(await countFailed(database.db)).toBe(2)
  })

  test('reads only failed jobs', async () => {
    const { rows } = await sql<{ indexdef: string }>`
      select indexdef from pg_indexes where indexname = 'usher_failed_jobs'`.execute(database.db)
    expect(rows[0]?.indexdef).toContain('(completed_on) WHERE (state = ')
  })
})

describe('usher jobs', () => {
  async function run(...args: string[]) {
    const printed: string[] = []
    const complaints: string[] = []
    const code = await jobsCommand(args, {
      db: database.db,
      print: line => printed.push(line),
      complain: line => complaints.push(line),
    })
    return { code, printed, complaints }
  }

  test('failed says so when there are none', async () => {
    expect(await run('failed')).toEqual({ code: 0, printed: ['No job has failed.'], complaints: [] })
  })

  test('failed lists one a line, the newest first', async () => {
    const older = await leaveJob('failed', {
      ago: '2 hours',
      output: '{"name": "E", "message": "first\\nsecond"}',
    })
    const newer = await leaveJob('failed', { ago: '1 hour' })
    const { code, printed } = await run('failed')
    expect(code).toBe(0)
    expect(printed.map(line => line.slice(0, 36))).toEqual([newer, older])
    expect(printed[1]).toMatch(/^\S{36} {2}\d{4}-\d\d-\d\dT\S+Z {2}default {2}fragile, tried once: first$/)
    const asJson = await run('failed', '--json')
    expect(JSON.parse(asJson.printed[0] ?? '')).toMatchObject([
      { id: newer },
      { id: older, queue: 'default' },
    ])
  })

  test('retry takes ids, and says which are not there', async () => {
    const id = await leaveJob('failed')
    const missing = '00000000-0000-4000-8000-000000000000'
    const { code, printed, complaints } = await run('retry', id.toUpperCase(), missing)
    expect({ code, printed }).toEqual({ code: 1, printed: [`${id} will run again.`] })
    expect(complaints).toEqual([expect.stringContaining(`${missing}: no failed job has this id.`)])
    expect(await stateOf(id)).toBe('retry')
  })

  test('retry all takes every one', async () => {
    const ids = [await leaveJob('failed'), await leaveJob('failed', { queue: 'bulk' })]
    const { code, printed } = await run('retry', 'all')
    expect(code).toBe(0)
    expect(printed.sort()).toEqual(ids.map(id => `${id} will run again.`).sort())
    expect(await run('retry', 'all')).toEqual({ code: 0, printed: ['No job has failed.'], complaints: [] })
  })

  test.for([[], ['failed', '--yaml'], ['retry'], ['prune']])('%j is answered with the usage', async args => {
    const { code, complaints } = await run(...args)
    expect(code).toBe(1)
    expect(complaints[0]).toContain('usher jobs retry <id>')
  })

  test('retry refuses what is no id', async () => {
    const { code, complaints } = await run('retry', "1'; drop table x")
    expect(code).toBe(1)
    expect(complaints[0]).toContain('not the id of a job')
  })

  test('on a database without jobs says what to do', async () => {
    await database.db
      .transaction()
      .execute(async trx => {
        await sql`alter schema pgboss rename to elsewhere`.execute(trx)
        const complaints: string[] = []
        const around = { db: trx, print: () => {}, complain: (line: string) => complaints.push(line) }
        expect(await jobsCommand(['failed'], around)).toBe(1)
        expect(complaints).toEqual([expect.stringContaining('Start Usher on it first.')])
        throw new Error('undo')
      })
      .catch(error => expect(error).toEqual(new Error('undo')))
  })
})
