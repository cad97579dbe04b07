import pg from 'pg'
import { insertRows, type RawInsertJob, rawLogTable } from './raw-log.ts'

// The rival of batches, a process of its own: a script that puts the same rows into the same
// PostgreSQL by grouped inserts, over two connections.
const connections = 2

process.on('message', (job: RawInsertJob & { databaseUrl: string }) => {
  insert(job).then(
    result => process.send?.({ result }),
    error => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')

async function insert(job: RawInsertJob & { databaseUrl: string }) {
  const clients = Array.from(
    { length: connections },
    () => new pg.Client({ connectionString: job.databaseUrl }),
  )
  try {
    await Promise.all(clients.map(client => client.connect()))
    // A new table for each round, so that it is never larger than the platform's log is.
    await clients[0]?.query(`drop table if exists raw_log; ${rawLogTable}`)
    const cpuBefore = process.cpuUsage()
    const inserted = await insertRows(clients, job)
    const { user, system } = process.cpuUsage(cpuBefore)
    return { ...inserted, cpuS: (user + system) / 1e6 }
  } finally {
    await Promise.all(clients.map(client => client.end()))
  }
}
