import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { type Answer, openConnection } from './http-connection.ts'
import type { FaultTenant } from './platform-file.ts'

/** What a monitor of `GET /api/v1/health` saw (interface 2.2 and 4.3). */
export interface HealthWatch {
  ok: number
  degraded: number
  /** Of all answers. */
  slowestMs: number
  /** Every answer that is neither report, each once. */
  wrong: Set<string>
  /** Waits for a report with that status that was asked for after the call. */
  until(status: 'ok' | 'degraded', withinMs: number): Promise<void>
}

const everyMs = 150

/** Asks after the tenant's health until the test ends. */
export function watchHealth(port: number, tenant: FaultTenant): HealthWatch {
  const connection = openConnection(port)
  let isOver = false
  const watch: HealthWatch = {
    ok: 0,
    degraded: 0,
    slowestMs: 0,
    wrong: new Set(),
    async until(status, withinMs) {
      const untilMs = performance.now() + withinMs
      // The next answer may be to a question from before.
      const enough = watch[status] + 2
      while (watch[status] < enough) {
        if (performance.now() > untilMs) throw new Error(`health is not ${status} within ${withinMs} ms`)
        await delay(20)
      }
    },
  }

  function note({ status, body, tookMs }: Answer): void {
    watch.slowestMs = Math.max(watch.slowestMs, tookMs)
    const report = JSON.parse(body)
    if (status === 200 && report.status === 'ok' && report.store.reachable === true) watch.ok++
    else if (status === 503 && isDegraded(report)) watch.degraded++
    else watch.wrong.add(`${status} ${body.slice(0, 300)}`)
  }
  async function run(): Promise<void> {
    while (!isOver) {
      try {
        note(
          await connection.send({
            method: 'GET',
            host: tenant.domain,
            path: '/api/v1/health',
            headers: { authorization: `Bearer ${tenant.token}` },
          }),
        )
      } catch (error) {
        watch.wrong.add(String(error))
      }
      await delay(everyMs)
    }
  }
  const running = run()
  onTestFinished(async () => {
    isOver = true
    await running
    connection.close()
  })
  return watch
}

/** Not reachable, and every value of the queues null. */
function isDegraded(report: {
  status: string
  store: { reachable: boolean }
  queues: Record<string, Record<string, unknown>>
}): boolean {
  const values = Object.values(report.queues).flatMap(queue => Object.values(queue))
  return (
    report.status === 'degraded' &&
    report.store.reachable === false &&
    values.length === 4 &&
    values.every(value => value === null)
  )
}
