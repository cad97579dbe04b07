import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useTestJobs } from '../testing/use-test-jobs.ts'
import type { JobDefinition } from './index.ts'

const given = useTestJobs()
const { logged, open, noteRun, runs, send, greet, eventually, stateOf } = given

describe('when the database goes away', () => {
  const terminate = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'usher jobs'`.execute(given.database.db)

  test('and its connections are terminated, jobs go on by themselves', async () => {
    const jobs = open([greet])
    await jobs.start({ work: true })
    await send(jobs, 'greet', { name: 'before' })
    await eventually(() => runs('greet')).toEqual(['before'])
    for (let i = 0; i < 3; i++) {
      await eventually(async () => (await terminate()).rows.length).toBeGreaterThan(0)
    }
    await send(jobs, 'greet', { name: 'after' })
    await eventually(() => runs('greet')).toEqual(['before', 'after'])
  })

  test('and comes back, jobs and schedules resume by themselves, and little was logged', async () => {
    const tick: JobDefinition = {
      name: 'tick',
      queue: 'bulk',
      schedule: { everyS: 1 },
      run: () => noteRun('tick'),
    }
    const jobs = open([greet, tick], given.proxy.url)
    await jobs.start({ work: true })
    await eventually(async () => (await runs('tick')).length).toBeGreaterThan(0)
    await given.proxy.cut()
    await sleep(2_500)
    const other = open([greet])
    await other.start({ work: false })
    await send(other, 'greet', { name: 'waited' })
    const before = (await runs('tick')).length
    await given.proxy.restore()
    await eventually(() => runs('greet')).toEqual(['waited'])
    await eventually(async () => (await runs('tick')).length).toBeGreaterThan(before)
    const faults = logged.filter(entry => entry.message === 'background jobs met a fault')
    expect(faults.length).toBeGreaterThan(0)
    expect(faults.length).toBeLessThan(4)
  })

  test('and hangs, stopping takes no longer than it may', async () => {
    const jobs = open([greet], given.proxy.url)
    await jobs.start({ work: true })
    given.proxy.freeze()
    await sleep(600)
    const startedMs = performance.now()
    await jobs.stop(1_000)
    expect(performance.now() - startedMs).toBeLessThan(6_000)
    await given.proxy.cut()
  })
})

describe('stopping', () => {
  const long: JobDefinition = {
    name: 'long',
    queue: 'default',
    retryDelayS: 0,
    async run(_payload, { signal }) {
      await noteRun('long', 'begun')
      await sleep(1_500, undefined, { signal })
      await noteRun('long', 'done')
    },
  }

  test('waits for the jobs that run', async () => {
    const jobs = open([long])
    await jobs.start({ work: true })
    const id = await send(jobs, 'long')
    await eventually(() => runs('long')).toEqual(['begun'])
    await jobs.stop(10_000)
    expect(await runs('long')).toEqual(['begun', 'done'])
    expect(await stateOf(id)).toBe('completed')
  })

  test('aborts, at its deadline, a job that goes on, and leaves it to be retried', async () => {
    const endless: JobDefinition = {
      ...long,
      name: 'endless',
      async run(_payload, { signal }) {
        await noteRun('endless', 'begun')
        await sleep(60_000, undefined, { signal }).catch(() => {})
      },
    }
    const jobs = open([endless])
    await jobs.start({ work: true })
    const id = await send(jobs, 'endless')
    await eventually(() => runs('endless')).toEqual(['begun'])
    const startedMs = performance.now()
    await jobs.stop(1_000)
    expect(performance.now() - startedMs).toBeLessThan(3_000)
    expect(await stateOf(id)).toBe('retry')
  })
})
