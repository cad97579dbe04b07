/**
 * Run by tests as a process of its own, so that it can be killed: starts the embedded PostgreSQL on the data folder
 * and with the shared folder that its arguments name, prints what came of it as one line of JSON, and stays
 * until SIGTERM.
 */
import { StartError } from '../start-error.ts'
import { startEmbeddedPostgres } from './start-embedded-postgres.ts'

const [dataDir = '', sharedDir = ''] = process.argv.slice(2)
try {
  const { url, pid, adopted, stop } = await startEmbeddedPostgres({ dataDir }, { sharedDir })
  console.log(JSON.stringify({ url, pid, adopted }))
  const stay = setInterval(() => {}, 60_000)
  process.once('SIGTERM', () => stop().then(() => clearInterval(stay)))
} catch (error) {
  if (!(error instanceof StartError)) throw error
  console.log(JSON.stringify({ error: error.message }))
  process.exitCode = 1
}
