import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { StartError } from '../start-error.ts'
import { migrate } from './index.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const changed = (change: Partial<URL>) => Object.assign(new URL(database.url), change).href
async function refusalOf(url: string): Promise<string> {
  const error = await migrate(url).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StartError)
  return (error as StartError).message
}

describe('a database that cannot be brought to this version', () => {
  test.for([
    ['a password that is wrong', { password: 'not-this-one' }, /password authentication failed/],
    ['a user that there is not', { username: 'nobody' }, /"nobody"/],
    ['a database that there is not', { pathname: '/nowhere' }, /database "nowhere" does not exist/],
  ] as const)('is told in a line: %s', async ([, change, reason]) => {
    const message = await refusalOf(changed(change))
    expect(message).toMatch(
      /^PostgreSQL refuses the connection: .+\. Check the user, the password and the database in USHER_DATABASE_URL\.$/,
    )
    expect(message).toMatch(reason)
    expect(message).not.toContain('not-this-one')
  })

  test('is told in a line: a migration that this version does not know, or knows otherwise', async () => {
    const { pool, url } = database
    await pool.query("insert into migrations values ('9999_later.sql', 'x')")
    expect(await refusalOf(url)).toBe(
      'The database holds migration 9999_later.sql, which this version does not know. Start the newer version.',
    )
    await pool.query("delete from migrations where name = '9999_later.sql'")
    await pool.query("update migrations set checksum = 'x' where name = '0001_tenancy.sql'")
    expect(await refusalOf(url)).toBe(
      'Migration 0001_tenancy.sql was changed after it ran. Restore it and add a new one.',
    )
  })

  test('is no such fault when it is only away', async () => {
    await expect(migrate('postgres://127.0.0.1:1/x')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})
