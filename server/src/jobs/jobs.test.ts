import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useTestJobs } from '../testing/use-test-jobs.ts'
import { createJobs, type JobDefinition } from './index.ts'

const given = useTestJobs()
const { queues, log, open, noteRun, runs, send, greet, eventually, stateOf } = given

describe('the start', () => {
  test('of six processes at once makes the tables once', async () => {
    await sql`drop schema if exists pgboss cascade`.execute(given.database.db)
    const processes = Array.from({ length: 6 }, () => open([greet]))
    await Promise.all(processes.map((jobs, index) => jobs.start({ work: index % 2 === 0 })))
    const { rows } = await sql<{ name: string }>`select name from pgboss.queue order by name`.execute(
      given.database.db,
    )
    expect(rows.map(row => row.name)).toEqual(['bulk', 'default', 'high'])
  })

  test('throws while the database is away, and succeeds when it is called again', async () => {
    const jobs = open([greet], given.proxy.url)
    await given.proxy.cut()
    await expect(jobs.start({ work: true })).rejects.toThrow('ECONNREFUSED')
    await expect(send(jobs, 'greet')).rejects.toThrow('have not started yet')
    await given.proxy.restore()
    await jobs.start({ work: true })
    await send(jobs, 'greet', { name: 'late' })
    await eventually(() => runs('greet')).toEqual(['late'])
  })

  test('refuses two jobs of one name', () => {
    expect(() =>
      createJobs({ databaseUrl: given.database.url, queues, definitions: [greet, greet], log }),
    ).toThrow('same name')
  })
})

describe('a job', () => {
  test('exists exactly if the transaction that sends it commits', async () => {
    const jobs = open([greet])
    await jobs.start({ work: true })
    const rolledBack = given.database.db.transaction().execute(async trx => {
      await jobs.sendJob(trx, 'greet', { name: 'nobody' })
      throw new Error('changed my mind')
    })
    await expect(rolledBack).rejects.toThrow('changed my mind')
    await send(jobs, 'greet', { name: 'Ada' })
    await eventually(() => runs('greet')).toEqual(['Ada'])
    await send(jobs, 'greet', { name: 'Edsger' })
    await eventually(() => runs('greet')).toEqual(['Ada', 'Edsger'])
  })

  test('waits, sent by a process that does not work, until a worker starts', async () => {
    const runBy = (who: string) => open([{ ...greet, run: () => noteRun('greet', who) }])
    const http = runBy('http')
    await http.start({ work: false })
    for (let i = 0; i < 20; i++) await send(http, 'greet')
    await runBy('worker').start({ work: true })
    await eventually(() => runs('greet')).toEqual(Array(20).fill('worker'))
  })

  test('with an unknown name is refused where it is sent', async () => {
    const jobs = open([greet])
    await jobs.start({ work: false })
    await expect(send(jobs, 'wave')).rejects.toThrow('no job named "wave"')
  })

  test('is told its id and which attempt this is', async () => {
    const flaky: JobDefinition = {
      name: 'flaky',
      queue: 'high',
      retryDelayS: 1,
      async run(_payload, { id, attempt }) {
        await noteRun('flaky', `${id} ${attempt}`)
        if (attempt === 1) throw new Error('once more')
      },
    }
    const jobs = open([flaky])
    await jobs.start({ work: true })
    const id = await send(jobs, 'flaky')
    await eventually(() => runs('flaky')).toEqual([`${id} 1`, `${id} 2`])
  })

  test('that takes longer than it may is aborted and counts as failed', async () => {
    const slow: JobDefinition = {
      name: 'slow',
      queue: 'high',
      retryLimit: 0,
      expireInS: 1,
      async run(_payload, { signal }) {
        await sleep(20_000, undefined, { signal }).catch(() => noteRun('slow', 'aborted'))
      },
    }
    const jobs = open([slow])
    await jobs.start({ work: true })
    const id = await send(jobs, 'slow')
    await eventually(() => runs('slow')).toEqual(['aborted'])
    await eventually(() => stateOf(id)).toBe('failed')
  })

  test('of a long backlog does not wait for the next look', async () => {
    const jobs = open([greet])
    await jobs.start({ work: true })
    await given.database.db.transaction().execute(async trx => {
      for (let i = 0; i < 40; i++) await jobs.sendJob(trx, 'greet', { name: String(i) })
    })
    await eventually(async () => (await runs('greet')).length, 5_000).toBe(40)
  })

  test('of a more urgent queue is not held up by a long one of a lower queue', async () => {
    const long: JobDefinition = {
      name: 'long',
      queue: 'bulk',
      async run(_payload, { signal }) {
        await noteRun('long')
        await sleep(20_000, undefined, { signal }).catch(() => {})
      },
    }
    const jobs = open([greet, long])
    await jobs.start({ work: true })
    for (let i = 0; i < 5; i++) await send(jobs, 'long')
    await eventually(async () => (await runs('long')).length).toBe(1)
    await send(jobs, 'greet', { name: 'urgent' })
    await eventually(() => runs('greet'), 3_000).toEqual(['urgent'])
  })

  test('whose worker was killed runs again', async () => {
    const http = open([greet])
    await http.start({ work: false })
    const id = await send(http, 'greet', { name: 'Alan' })
    // What a worker leaves behind that took the job and was killed a minute ago.
    await sql`update pgboss.job set state = 'active', started_on = now() - interval '1 minute',
      heartbeat_on = now() - interval '1 minute' where id = ${id}`.execute(given.database.db)
    await open([greet]).start({ work: true })
    // The first retry waits 15 to 30 seconds; that it is one is enough here.
    await eventually(() => stateOf(id)).toBe('retry')
  })
})

describe('a schedule', () => {
  const tick: JobDefinition = {
    name: 'tick',
    queue: 'default',
    schedule: { everyS: 2 },
    run: () => noteRun('tick'),
  }

  test('fires once a slot, however many workers there are', async () => {
    const workers = Array.from({ length: 4 }, () => open([tick]))
    await Promise.all(workers.map(jobs => jobs.start({ work: true })))
    await eventually(async () => (await runs('tick')).length, 15_000).toBe(4)
    const { rows } = await sql<{ slots: number; sent: number }>`
      select count(distinct date_bin('2 seconds', created_on, '2000-01-01 00:00Z')) as slots, count(*) as sent
      from pgboss.job where data->>'name' = 'tick'`.execute(given.database.db)
    expect(rows[0]?.sent).toBeGreaterThanOrEqual(4)
    expect(rows[0]?.slots).toBe(rows[0]?.sent)
  })

  test('makes up for the slots that it missed by one run', async () => {
    const daily: JobDefinition = {
      ...tick,
      name: 'daily',
      schedule: { everyS: 86_400 },
      run: () => noteRun('daily'),
    }
    await sql`insert into job_schedules values ('daily', now() - interval '3 days', gen_random_uuid())`.execute(
      given.database.db,
    )
    await open([daily, tick]).start({ work: true })
    // Both are looked at together, so by then the other one was due several times.
    await eventually(async () => (await runs('tick')).length).toBeGreaterThanOrEqual(2)
    expect(await runs('daily')).toHaveLength(1)
  })

  test('waits for the job of an earlier slot', async () => {
    let running = 0
    let most = 0
    const long: JobDefinition = {
      name: 'long-tick',
      queue: 'high',
      schedule: { everyS: 1 },
      async run() {
        most = Math.max(most, ++running)
        await sleep(2_500)
        running--
        await noteRun('long-tick')
      },
    }
    await Promise.all([open([long]).start({ work: true }), open([long]).start({ work: true })])
    await eventually(async () => (await runs('long-tick')).length, 15_000).toBeGreaterThanOrEqual(2)
    expect(most).toBe(1)
  })

  test('fires in no process that only sends', async () => {
    await open([{ ...tick, name: 'never' }]).start({ work: false })
    await open([tick]).start({ work: true })
    await eventually(async () => (await runs('tick')).length).toBeGreaterThanOrEqual(2)
    const { rows } = await sql`select name from job_schedules`.execute(given.database.db)
    expect(rows).toEqual([{ name: 'tick' }])
  })
})
