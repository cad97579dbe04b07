import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { findJobState, leaveJob, makeJobTables } from '../testing/left-jobs.ts'
import { jobsCommand } from './index.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await makeJobTables(database.url, ['high', 'default', 'bulk'])
})
afterEach(async () => {
  await sql`delete from pgboss.job`.execute(database.db)
})
afterAll(() => database.drop())

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
    const older = await leaveJob(database.db, 'failed', {
      ago: '2 hours',
      output: '{"name": "E", "message": "first\\nsecond"}',
    })
    const newer = await leaveJob(database.db, 'failed', { ago: '1 hour' })
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
    const id = await leaveJob(database.db, 'failed')
    const missing = '00000000-0000-4000-8000-000000000000'
    const { code, printed, complaints } = await run('retry', id.toUpperCase(), missing)
    expect({ code, printed }).toEqual({ code: 1, printed: [`${id} will run again.`] })
    expect(complaints).toEqual([expect.stringContaining(`${missing}: no failed job has this id.`)])
    expect(await findJobState(database.db, id)).toBe('retry')
  })

  test('retry all takes every one', async () => {
    const ids = [
      await leaveJob(database.db, 'failed'),
      await leaveJob(database.db, 'failed', { queue: 'bulk' }),
    ]
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
