import { Gauge, type Registry } from 'prom-client'
import { withDeadline } from '../foundation/deadline.ts'
import type { QueueState } from './health-ports.ts'
import { shareChecks } from './share-checks.ts'

export interface QueueMetricsOptions {
  readQueueStates(): Promise<QueueState[]>
  countPending(): Promise<Record<string, number>>
  countFailed(): Promise<number>
  /** How long a scrape waits for the database; what did not answer by then is left out of it. */
  timeoutMs?: number
  /** Most queues that are shown, the deepest first: each is a series of its own. */
  maxQueues?: number
}

type Collect = (gauge: { set(labels: Record<string, string>, value: number): void }) => Promise<void>

/** Adds gauges of the queues and the background jobs, read when they are scraped. A scrape never hangs and never
 *  fails for the database: a gauge that cannot be read has no value in it, and usher_backend_reachable is 0. */
export function addQueueMetrics(registry: Registry, options: QueueMetricsOptions): void {
  const { timeoutMs = 1_000, maxQueues = 1_000 } = options
  const shareStates = shareChecks<QueueState[]>()
  const readStates = () =>
    shareStates('', () => withDeadline(timeoutMs, 'The queues', options.readQueueStates))
  const sharePending = shareChecks<Record<string, number>>()
  const readPending = () =>
    sharePending('', () => withDeadline(timeoutMs, 'The background queues', options.countPending))
  const readFailed = () => withDeadline(timeoutMs, 'The count of failed jobs', options.countFailed)

  function addGauge(name: string, help: string, labelNames: string[], collect: Collect): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const values: [Record<string, string>, number][] = []
        await collect({ set: (labels, value) => values.push([labels, value]) }).catch(() => values.splice(0))
        this.reset()
        // Reset gives a gauge without labels the value 0, which here would be a lie.
        if (values.length === 0 && labelNames.length === 0) this.remove()
        for (const [labels, value] of values) this.set(labels, value)
      },
    })
  }
  const shown = async () => (await readStates()).sort((a, b) => b.depth - a.depth).slice(0, maxQueues)

  addGauge('usher_queue_depth', 'Items that wait in a queue.', ['tenant', 'queue'], async gauge => {
    for (const { tenantId, queue, depth } of await shown()) gauge.set({ tenant: tenantId, queue }, depth)
  })
  addGauge(
    'usher_queue_oldest_age_seconds',
    'Age of the oldest item that waits in a queue; 0 when none waits.',
    ['tenant', 'queue'],
    async gauge => {
      for (const { tenantId, queue, oldestAgeS } of await shown())
        gauge.set({ tenant: tenantId, queue }, oldestAgeS ?? 0)
    },
  )
  addGauge(
    'usher_queues_omitted',
    'Queues that are not shown, because they are too many.',
    [],
    async gauge => {
      gauge.set({}, Math.max(0, (await readStates()).length - maxQueues))
    },
  )
  addGauge('usher_jobs_pending', 'Background jobs that wait to run.', ['queue'], async gauge => {
    for (const [queue, pending] of Object.entries(await readPending())) gauge.set({ queue }, pending)
  })
  addGauge('usher_jobs_failed', 'Background jobs that failed in the last 7 days.', [], async gauge => {
    gauge.set({}, await readFailed())
  })
  addGauge(
    'usher_backend_reachable',
    'Whether the store of the queues and the backend of the background jobs answered this scrape.',
    ['backend'],
    async gauge => {
      const [store, jobs] = await Promise.allSettled([readStates(), readPending()])
      gauge.set({ backend: 'queues' }, store.status === 'fulfilled' ? 1 : 0)
      gauge.set({ backend: 'jobs' }, jobs.status === 'fulfilled' ? 1 : 0)
    },
  )
}
