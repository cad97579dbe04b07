import { generateLoad } from './generate-load.ts'
import type { LoadJob } from './load-job.ts'

// The load generator, a process of its own: does the jobs that its parent sends, one at a time.
process.on('message', (job: LoadJob) => {
  generateLoad(job).then(
    result => process.send?.({ result }),
    error => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
