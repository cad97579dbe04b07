import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../testing/database-proxy.ts'
import { type OpenDatabase, openDatabase } from './open-database.ts'

let database: TestDatabase
let proxy: DatabaseProxy
let through: OpenDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startDatabaseProxy(database.url)
  through = openDatabase({
    url: proxy.url,
    maxConnections: 1,
    connectTimeoutMs: 1_000,
    statementTimeoutMs: 100,
    applicationName: 'test',
  })
})
afterAll(async () => {
  await through.close()
  await proxy.close()
  await database.drop()
})

describe('a pool of connections', () => {
  test('opens a new one when the answer on the old one never comes', async () => {
    const ask = () => sql`select 1 as one`.execute(through.db)
    await ask()
    proxy.strand()
    await expect(ask()).rejects.toThrow('Query read timeout')
    // The pool has one place: it must have let go of the connection that still waits.
    expect((await ask()).rows).toEqual([{ one: 1 }])
  })

  test('lives on when a connection breaks in the middle of a query', async () => {
    const patient = openDatabase({
      url: proxy.url,
      maxConnections: 1,
      statementTimeoutMs: 60_000,
      applicationName: 'test patient',
    })
    const asked = sql`select pg_sleep(60)`.execute(patient.db)
    const failed = expect(asked).rejects.toThrow('Connection terminated unexpectedly')
    const isAsked = () =>
      sql`select from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'`.execute(
        database.db,
      )
    await expect.poll(async () => (await isAsked()).rows.length).toBe(1)
    await proxy.cut()
    await failed
    await proxy.restore()
    expect((await sql`select 1 as one`.execute(patient.db)).rows).toEqual([{ one: 1 }])
    await patient.close()
  })

  test('keeps a connection on which a statement failed', async () => {
    const pid = async () =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(through.db)).rows
    const before = await pid()
    await expect(sql`select 1 / 0`.execute(through.db)).rejects.toThrow('division by zero')
    expect(await pid()).toEqual(before)
  })

  test('gives up a statement that takes too long', async () => {
    await expect(sql`select pg_sleep(5)`.execute(through.db)).rejects.toThrow('statement timeout')
  })
})
