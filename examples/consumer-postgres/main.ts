import { runConsumer } from '@usher/consumer'
import pg from 'pg'
import { createTables, insertEvents } from './events.store.ts'
import { sortOutBatch } from './sort-out-batch.ts'

// Puts the events into a PostgreSQL of yours. USHER_URL, USHER_KEY and DATABASE_URL say from where and into which.

const { USHER_URL: url = 'http://platform.localhost:3000', USHER_KEY: key = '', DATABASE_URL } = process.env
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 1 })
// A connection that broke while it was idle; the next query makes another.
pool.on('error', error => console.error(error.message))
try {
  await createTables(pool)
  await runConsumer({
    url,
    key,
    signal: stop.signal,
    handle: async ({ events }) => {
      // Committed when it returns. Killed before that, the batch is read again; killed after, its ids are there already.
      const added = await insertEvents(pool, events)
      console.log(`${added} events added`)
    },
    onPoison: (batch, error) => sortOutBatch(pool, batch, error),
    onTrouble: error => error && console.error(error.message),
  })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await pool.end()
}
