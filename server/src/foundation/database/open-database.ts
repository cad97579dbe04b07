import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'

/** A connection pool that rooms put their tables on with `withTables`; a transaction is one too. */
// biome-ignore lint/complexity/noBannedTypes: the empty set of tables; each store adds its own
export type Database = Kysely<{}>
// biome-ignore lint/complexity/noBannedTypes: as above
export type DatabaseTransaction = Transaction<{}>

export interface OpenDatabase {
  db: Database
  pool: pg.Pool
  close(): Promise<void>
}

export interface DatabaseOptions {
  url: string
  /** Most connections open at once. */
  maxConnections: number
  /** How long a caller waits for a connection, and how long one statement may take. */
  connectTimeoutMs?: number
  statementTimeoutMs?: number
  /** How long a statement may wait for a lock; without it, as long as it may take. */
  lockTimeoutMs?: number
  /** Shown in pg_stat_activity. */
  applicationName: string
}

// Counters and positions are bigint; they stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
// A calendar day stays the text that PostgreSQL writes: a Date would bring the machine's time zone in.
pg.types.setTypeParser(pg.types.builtins.DATE, text => text)

/** Opens a pool of connections. Nothing connects until the first query, so a database that is away
 *  shows at the query. */
export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const statementTimeoutMs = options.statementTimeoutMs ?? 10_000
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 2_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementTimeoutMs,
    ...(options.lockTimeoutMs !== undefined && { lock_timeout: options.lockTimeoutMs }),
    // The client's own clock, for a server that stopped answering: a little later than the server's.
    query_timeout: statementTimeoutMs + 1_000,
    keepAlive: true,
  })
  // An idle connection that breaks is dropped by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  // One that breaks in the hands of a query says so twice: the query fails, and it emits an error to which
  // neither the pool nor Kysely listens while it is out of the pool.
  pool.on('connect', client => client.on('error', () => {}))
  // A query that the client's own clock ended is still waited for by its connection, and every query after
  // it would wait too, until TCP gives up after a quarter of an hour: it does not go back into the pool.
  pool.on('release', (_error, client) => {
    if ('_activeQuery' in client && client._activeQuery) void client.end()
  })
  // biome-ignore lint/complexity/noBannedTypes: as above
  const db = new Kysely<{}>({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, close: () => db.destroy() }
}
