import { drainBoss } from './drain-boss.ts'
import type { DrainJob, DrainResult } from './drain-job.ts'
import { drainPlatform } from './drain-platform.ts'
import { drainRedis } from './drain-redis.ts'

// A consumer, a process of its own: reads a queue, parses each record, and removes what it has read, until nothing waits.

async function drain(job: DrainJob): Promise<DrainResult> {
  let startedAt = performance.now()
  let cpuBefore = process.cpuUsage()
  const begin = () => {
    startedAt = performance.now()
    cpuBefore = process.cpuUsage()
  }
  const events = await (job.from === 'platform'
    ? drainPlatform(job, begin)
    : job.from === 'redis'
      ? drainRedis(job, begin)
      : drainBoss(job, begin))
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    events,
    tookS: (performance.now() - startedAt) / 1000,
    cpuS: (user + system) / 1e6,
    peakMiB: process.resourceUsage().maxRSS / 1024,
  }
}

process.on('message', (job: DrainJob) => {
  drain(job).then(
    result => process.send?.({ result }),
    error => process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
