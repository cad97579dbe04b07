import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../testing/database-proxy.ts'
import { type Listener, listen } from './listen.ts'

let database: TestDatabase
let proxy: DatabaseProxy
let listener: Listener | undefined
let notices: (string | undefined)[]
let losses: Error[]

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startDatabaseProxy(database.url)
})
afterEach(() => listener?.close())
afterAll(async () => {
  await proxy.close()
  await database.drop()
})

function start(): void {
  notices = []
  losses = []
  listener = listen({
    url: proxy.url,
    channel: 'a "channel"',
    onNotice: payload => notices.push(payload),
    onLost: error => losses.push(error),
  })
}
const notify = (payload: string) => database.pool.query('select pg_notify($1, $2)', ['a "channel"', payload])
const seen = (expected: unknown[]) => expect.poll(() => notices, { timeout: 15_000 }).toEqual(expected)

describe('listening to a channel', () => {
  test('tells of the connection, then of each notice', async () => {
    start()
    await seen([undefined])
    await notify('one')
    await notify('two')
    await seen([undefined, 'one', 'two'])
    expect(losses).toEqual([])
  })

  test('reconnects when the server ends the connection, and says that it did', async () => {
    start()
    await seen([undefined])
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'usher listen%' and datname = current_database()`,
    )
    await seen([undefined, undefined])
    await notify('after')
    await seen([undefined, undefined, 'after'])
    expect(losses).toHaveLength(1)
  })

  test('waits for a database that is away, and tells of that once', async () => {
    await proxy.cut()
    start()
    await expect.poll(() => losses.length).toBe(1)
    await new Promise(resolve => setTimeout(resolve, 400))
    expect(losses).toHaveLength(1)
    expect(notices).toEqual([])
    await proxy.restore()
    await seen([undefined])
  })

  test('ends at once, also while the database is away or hangs', async () => {
    for (const disturb of [() => {}, () => proxy.freeze(), () => proxy.cut()]) {
      await proxy.restore()
      start()
      await seen([undefined])
      await disturb()
      const begun = performance.now()
      await listener?.close()
      expect(performance.now() - begun).toBeLessThan(1_500)
    }
    await proxy.restore()
  })
})
