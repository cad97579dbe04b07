import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { EventRecord } from '../event-record.ts'

/** How one request is answered. */
export type Answer = (response: ServerResponse) => void

export const answerOf = (...list: EventRecord[]): string =>
  JSON.stringify({ data: { count: list.length, events: list } })
export const events = (...list: EventRecord[]): Answer => raw(answerOf(...list))
export const raw =
  (body: string): Answer =>
  response =>
    response.setHeader('content-length', Buffer.byteLength(body)).end(body)
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  response =>
    response.writeHead(code, headers).end(code === 204 ? '' : JSON.stringify({ message: `reason ${code}` }))
export const hangUp: Answer = response => response.destroy()
export const silence: Answer = () => {}
/** Half of an answer, and no more. */
export const half =
  (...list: EventRecord[]): Answer =>
  response => {
    const body = answerOf(...list)
    response.setHeader('content-length', body.length)
    response.write(body.slice(0, body.length / 2), () => response.destroy())
  }

export interface ScriptedQueue {
  url: string
  requests: { call: string; headers: IncomingHttpHeaders; atMs: number }[]
  calls(): string[]
}

/** A platform of which each next request gets the next answer; then the queue is empty. Until the end of the test. */
export async function startScriptedQueue(...answers: Answer[]): Promise<ScriptedQueue> {
  const requests: ScriptedQueue['requests'] = []
  const server = createServer(({ method, url, headers }, response) => {
    requests.push({ call: `${method} ${url}`, headers, atMs: performance.now() })
    const answer = answers.shift() ?? events()
    answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const { port } = server.address() as AddressInfo
  return {
    // A name that Node does not resolve by itself everywhere.
    url: `http://platform.localhost:${port}`,
    requests,
    calls: () => requests.map(({ call }) => call),
  }
}

export const READ = 'GET /api/platform/events'
export const removal = (count: number, first: EventRecord): string =>
  `DELETE /api/platform/events?count=${count}&first_id=${first.id}`
