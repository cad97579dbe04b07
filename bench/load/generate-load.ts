import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, openConnection } from './connections.ts'
import { countLatency, noLatencies } from './latencies.ts'
import type { LoadJob, LoadResult } from './load-job.ts'
import { type RequestTemplate, requestStamp, requestTemplate } from './request-template.ts'
import type { Answer } from './response-reader.ts'

/** A request that takes longer is an error, and its connection is given up. */
const requestTimeoutMs = 10_000
const paceMs = 10

/** Puts load on a server over keep-alive connections, each with one request outstanding (no
 *  pipelining), until its time is over or its requests are answered. */
export async function generateLoad(job: LoadJob): Promise<LoadResult> {
  const latencies = noLatencies()
  const errors: Record<string, number> = {}
  const open = new Map<Connection, RequestTemplate>()
  const resting: Connection[] = []
  const stamp = requestStamp()
  const accepted = `{"accepted":${job.eventsPerRequest},"duplicates":0,"rejected":[]`
  const maxRequests = job.requests ?? Number.POSITIVE_INFINITY
  let allowance = job.requestsPerSecond === undefined ? Number.POSITIVE_INFINITY : 0
  let sent = 0
  let answered = 0
  let measured = 0
  let isMeasuring = false
  let isOver = false
  const ending = Promise.withResolvers<void>()

  function note(error: string): void {
    errors[error] = (errors[error] ?? 0) + 1
  }
  function sendNext(connection: Connection): void {
    const template = open.get(connection)
    if (!template || isOver || sent >= maxRequests) return
    if (allowance < 1) {
      resting.push(connection)
      return
    }
    allowance--
    sent++
    stamp(template)
    connection.send(template.bytes)
  }
  function onAnswer({ status, body }: Answer, latencyMs: number, connection: Connection): void {
    if (status < 200 || status > 299) note(`status ${status}`)
    else if (!body.startsWith(accepted)) note(`status ${status}, but not every event was accepted`)
    else {
      answered++
      if (isMeasuring) {
        measured++
        countLatency(latencies, latencyMs)
      }
    }
    if (sent >= maxRequests && ![...open.keys()].some(({ sentAtMs }) => sentAtMs !== undefined))
      ending.resolve()
    sendNext(connection)
  }
  function onFault(reason: string, connection: Connection): void {
    note(reason)
    open.delete(connection)
    if (open.size === 0) ending.resolve()
  }

  for (let index = 0; index < job.connections; index++) {
    const connection = await openConnection(job.port, onAnswer, onFault)
    open.set(connection, requestTemplate({ ...job, sessionId: randomUUID() }))
  }
  const bytesPerRequest = open.values().next().value?.bytes.length ?? 0
  const watch = setInterval(() => {
    const now = performance.now()
    for (const connection of open.keys())
      if (connection.sentAtMs !== undefined && now - connection.sentAtMs > requestTimeoutMs) {
        connection.close()
        onFault(`no answer within ${requestTimeoutMs / 1000} s`, connection)
      }
  }, 1_000)
  const pace =
    job.requestsPerSecond && setInterval(allowMore, paceMs, (job.requestsPerSecond * paceMs) / 1000)
  function allowMore(requests: number): void {
    // What was not used for lack of a free connection is not made up for later.
    allowance = Math.min(allowance, job.connections) + requests
    for (const connection of resting.splice(0)) sendNext(connection)
  }

  for (const connection of open.keys()) sendNext(connection)
  if (job.warmUpMs > 0) await Promise.race([delay(job.warmUpMs), ending.promise])
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  isMeasuring = true
  const timeUp = new AbortController()
  await Promise.race([
    delay(job.measureMs, undefined, { signal: timeUp.signal }).catch(() => {}),
    ending.promise,
  ])
  timeUp.abort()
  isMeasuring = false
  const measuredS = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  const requests = measured

  isOver = true
  const lastAnswersBy = performance.now() + requestTimeoutMs
  while ([...open.keys()].some(({ sentAtMs }) => sentAtMs !== undefined) && performance.now() < lastAnswersBy)
    await delay(5)
  clearInterval(watch)
  if (pace) clearInterval(pace)
  for (const connection of open.keys()) connection.close()
  if (job.requests !== undefined && sent < job.requests)
    note('the time was over before every request was sent')
  return {
    measuredS,
    requests,
    acceptedEvents: answered * job.eventsPerRequest,
    latencies,
    errors,
    cpuS: (user + system) / 1e6,
    bytesPerRequest,
  }
}
