import pg from 'pg'

/** Runs one statement on a connection of its own. Gives its rows; throws when the database is away. */
export async function queryOnce<Row extends pg.QueryResultRow>(
  databaseUrl: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  // A connection that breaks shows at the statement.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<Row>(text, [...values])
    return rows
  } finally {
    await client.end().catch(() => {})
  }
}
