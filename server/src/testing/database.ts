import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type OpenDatabase, openDatabase } from '../foundation/database/index.ts'

export const TEMPLATE = 'usher_template'

async function onServer<T>(url: string, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await run(client)
  } finally {
    await client.end()
  }
}

/** The same server's URL with another database. */
function withDatabase(url: string, name: string): string {
  // pg's URLs of Unix sockets are not all valid WHATWG URLs, so the path is replaced as text.
  return url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`)
}

/** Creates a database, as a copy of `template` if one is named, and answers its URL. */
export async function createDatabase(serverUrl: string, name: string, template?: string): Promise<string> {
  const from = template ? ` template ${template}` : ''
  await onServer(serverUrl, client => client.query(`create database ${name}${from}`))
  return withDatabase(serverUrl, name)
}

export interface TestDatabase extends OpenDatabase {
  url: string
  /** How many connections to it wait for a lock. */
  lockWaits(): Promise<number>
  /** Closes the pool and drops the database. */
  drop(): Promise<void>
}

/** A fresh, migrated database for one test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = await createDatabase(serverUrl, name, TEMPLATE)
  const open = openDatabase({ url, maxConnections: 8, applicationName: 'test' })
  const drop = async () => {
    await open.close()
    await onServer(serverUrl, client => client.query(`drop database if exists ${name} with (force)`))
  }
  const lockWaits = async () => {
    const { rows } = await open.pool.query<{ count: number }>(
      `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]?.count ?? 0
  }
  return { ...open, url, lockWaits, drop }
}
