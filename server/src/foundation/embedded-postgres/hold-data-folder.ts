/**
 * Run by tests as a process of its own, so that it can be killed: starts the embedded PostgreSQL on the folder that
 * its argument names, prints what came of it as one line of JSON, and stays until SIGTERM.
 */
import { StartError } from '../start-error.ts'
import { startEmbeddedPostgres } from './index.ts'

const [dataDir = ''] = process.argv.slice(2)
try {
  const { url, pid, adopted, stop } = await startEmbeddedPostgres({ dataDir })
  console.log(JSON.stringify({ url, pid, adopted }))
  const stay = setInterval(() => {}, 60_000)
  process.once('SIGTERM', () => stop().then(() => clearInterval(stay)))
} catch (error) {
  if (!(error instanceof StartError)) throw error
  console.log(JSON.stringify({ error: error.message }))
  process.exitCode = 1
}
