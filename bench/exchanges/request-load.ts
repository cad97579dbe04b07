import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, openConnection } from '../load/connection.ts'
import { countLatency, noLatencies } from '../load/latencies.ts'
import type { Answer } from '../load/response-reader.ts'
import type { RequestJob, RequestResult } from './request-job.ts'

/** What is in flight at the end may take so long. */
const lastAnswersMs = 10_000

/** Puts load on a server over keep-alive connections, each with one request outstanding (no pipelining), until its time is
 *  over or every request was sent. Requests are built before the first is sent. */
export async function sendRequests(job: RequestJob): Promise<RequestResult> {
  const { port, connections, warmUpMs, measureMs, expected } = job
  const requests = job.requests.map(request => Buffer.from(request, 'latin1'))
  const result: RequestResult = { measuredS: 0, requests: 0, latencies: noLatencies(), errors: {}, cpuS: 0 }
  const open = new Set<Connection>()
  const done = Promise.withResolvers<void>()
  let sent = 0
  let isMeasuring = false
  let isOver = false

  const note = (error: string): void => {
    result.errors[error] = (result.errors[error] ?? 0) + 1
  }
  function sendNext(connection: Connection): void {
    if (isOver) return
    const request = job.repeat ? requests[sent % requests.length] : requests[sent]
    if (request === undefined) {
      done.resolve()
      return
    }
    sent++
    connection.send(request)
  }
  function count({ status, body }: Answer, latencyMs: number): void {
    if (status !== expected.status || !body.startsWith(expected.start)) {
      note(`status ${status}: ${body.slice(0, 200)}`)
      return
    }
    result.sample ??= body
    if (!isMeasuring) return
    result.requests++
    countLatency(result.latencies, latencyMs)
  }

  for (let index = 0; index < connections; index++) {
    const connection = await openConnection(port, {
      onAnswer(answer, latencyMs, answered) {
        count(answer, latencyMs)
        sendNext(answered)
      },
      onFault(reason, faulty) {
        note(reason)
        open.delete(faulty)
        if (open.size === 0) done.resolve()
      },
    })
    if (connection) open.add(connection)
  }
  if (open.size === 0) done.resolve()
  for (const connection of open) sendNext(connection)
  await atMost(warmUpMs, done.promise)
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  isMeasuring = true
  await atMost(measureMs, done.promise)
  isMeasuring = false
  result.measuredS = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  result.cpuS = (user + system) / 1e6

  isOver = true
  const until = performance.now() + lastAnswersMs
  while ([...open].some(({ sentAtMs }) => sentAtMs !== undefined) && performance.now() < until) await delay(5)
  for (const connection of open) connection.close()
  return result
}

/** Waits for the end of the work, but no longer than so. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const ending = new AbortController()
  await Promise.race([work, delay(ms, undefined, { signal: ending.signal }).catch(() => {})])
  ending.abort()
}
