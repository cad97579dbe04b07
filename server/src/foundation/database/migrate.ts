import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { StartError } from '../start-error.ts'

const MIGRATIONS = new URL('../../../migrations/', import.meta.url)
/** Any number that no other program on the same database takes: the advisory lock of migrations. */
const MIGRATION_LOCK = 7_420_219_530

/** What waiting does not mend: a user, a password or a database that there is not (SQLSTATE 28…, 3D000). */
function throwExplained(error: Error & { code?: string }): never {
  if (!/^(?:28...|3D000)$/.test(error.code ?? '')) throw error
  throw new StartError(
    `PostgreSQL refuses the connection: ${error.message}. Check the user, the password and the database in USHER_DATABASE_URL.`,
    { cause: error },
  )
}

/** Brings the database to the newest migration, each in a transaction of its own; several processes
 *  may start at once. Needs a direct connection: a session's advisory lock does not pass a pooler.
 *  Throws a StartError when PostgreSQL lets nobody of this name in, a migration that ran has changed since, or the database
 *  is newer than the program. */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  // A connection that breaks fails its query; the error that it emits besides would end the process.
  client.on('error', () => {})
  await client.connect().catch(throwExplained)
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await client.query(
      'create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    )
    const { rows } = await client.query<{ name: string; checksum: string }>(
      'select name, checksum from migrations',
    )
    const applied = new Map(rows.map(row => [row.name, row.checksum]))
    const files = (await readdir(fileURLToPath(MIGRATIONS))).filter(name => name.endsWith('.sql')).sort()
    for (const name of applied.keys())
      if (!files.includes(name))
        throw new StartError(
          `The database holds migration ${name}, which this version does not know. Start the newer version.`,
        )
    const done: string[] = []
    for (const name of files) {
      const sql = await readFile(new URL(name, MIGRATIONS), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      if (applied.has(name)) {
        if (applied.get(name) !== checksum)
          throw new StartError(`Migration ${name} was changed after it ran. Restore it and add a new one.`)
        continue
      }
      await client.query('begin')
      await client.query(sql)
      await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
      await client.query('commit')
      done.push(name)
    }
    return done
  } finally {
    await client.end()
  }
}
