import type { RequestJob } from './request-job.ts'
import { sendRequests } from './request-load.ts'

// A load generator, a process of its own: does the jobs that its parent sends, one at a time.
process.on('message', (job: RequestJob) => {
  sendRequests(job).then(
    result => process.send?.({ result }),
    error => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
