import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, openConnection } from './connection.ts'
import type { LoadJob, LoadResult } from './load-job.ts'
import { createPace } from './pace.ts'
import { type RequestTemplate, requestStamp, requestTemplate } from './request-template.ts'
import { createTally } from './tally.ts'

/** A request that takes longer is an error, and its connection is given up. */
const requestTimeoutMs = 10_000

/** Puts load on a server over keep-alive connections, each with one request outstanding (no
 *  pipelining), until its time is over or its requests are answered. */
export async function generateLoad(job: LoadJob): Promise<LoadResult> {
  const tally = createTally(job.eventsPerRequest)
  const pace = createPace(job.requestsPerSecond, job.connections)
  const stamp = requestStamp()
  const open = new Map<Connection, RequestTemplate>()
  const maxRequests = job.requests ?? Number.POSITIVE_INFINITY
  let sent = 0
  let isOver = maxRequests === 0
  const done = Promise.withResolvers<void>()
  if (isOver) done.resolve()

  function sendNext(connection: Connection): void {
    const template = open.get(connection)
    if (!template || isOver || sent >= maxRequests) return
    if (!pace.mayGo(() => sendNext(connection))) return
    sent++
    stamp(template)
    connection.send(template.bytes)
  }
  const isBusy = (): boolean => open.keys().some(({ sentAtMs }) => sentAtMs !== undefined)
  const onFault = (reason: string, connection: Connection): void => {
    tally.note(reason)
    open.delete(connection)
    if (open.size === 0) done.resolve()
  }

  for (let index = 0; index < job.connections; index++) {
    const connection = await openConnection(job.port, {
      onAnswer(answer, latencyMs, answered) {
        tally.count(answer, latencyMs)
        if (sent >= maxRequests && !isBusy()) done.resolve()
        else sendNext(answered)
      },
      onFault,
    })
    if (connection) open.set(connection, requestTemplate({ ...job, sessionId: randomUUID() }))
  }
  const bytesPerRequest = [...open.values()][0]?.bytes.length ?? 0
  const watch = setInterval(() => {
    const sentBeforeMs = performance.now() - requestTimeoutMs
    for (const connection of open.keys())
      if ((connection.sentAtMs ?? Number.POSITIVE_INFINITY) < sentBeforeMs) {
        connection.close()
        onFault(`no answer within ${requestTimeoutMs / 1000} s`, connection)
      }
  }, 1_000)

  for (const connection of open.keys()) sendNext(connection)
  await atMost(job.warmUpMs, done.promise)
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  tally.isMeasuring = true
  await atMost(job.measureMs, done.promise)
  tally.isMeasuring = false
  const measuredS = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)

  isOver = true
  const lastAnswersBy = performance.now() + requestTimeoutMs
  while (isBusy() && performance.now() < lastAnswersBy) await delay(5)
  clearInterval(watch)
  pace.stop()
  for (const connection of open.keys()) connection.close()
  if (sent < (job.requests ?? 0)) tally.note('the time was over before every request was sent')
  return {
    measuredS,
    requests: tally.measured,
    acceptedEvents: tally.accepted * job.eventsPerRequest,
    latencies: tally.latencies,
    errors: tally.errors,
    cpuS: (user + system) / 1e6,
    bytesPerRequest,
  }
}

/** Waits for the end of the work, but no longer than so. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const ending = new AbortController()
  const { signal } = ending
  await Promise.race([work, delay(ms, undefined, { signal }).catch(() => {})])
  ending.abort()
}
