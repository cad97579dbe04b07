import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { generateLoad } from './generate-load.ts'
import { latencyAt } from './latencies.ts'
import type { LoadJob } from './load-job.ts'

interface SentEvent {
  id: string
  session_id: string
  event_sequence: number
  occurred_at: string
}

const opened: { close(): void; closeAllConnections(): void }[] = []
afterEach(() => {
  for (const server of opened.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-length': body.length }).end(body)
}

/** A server that keeps what it is sent, and answers as the platform does unless told otherwise. */
async function startServer(
  answer: (response: ServerResponse, events: SentEvent[]) => void = (response, events) =>
    send(response, 202, JSON.stringify({ accepted: events.length, duplicates: 0, rejected: [] })),
) {
  const requests: { headers: IncomingMessage['headers']; events: SentEvent[] }[] = []
  let outstanding = 0
  let mostOutstanding = 0
  const server = createServer((request, response) => {
    mostOutstanding = Math.max(mostOutstanding, ++outstanding)
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const { events } = JSON.parse(Buffer.concat(chunks).toString()) as { events: SentEvent[] }
      requests.push({ headers: request.headers, events })
      outstanding--
      answer(response, events)
    })
  })
  opened.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, requests, mostOutstanding: () => mostOutstanding }
}

const job = (port: number, given: Partial<LoadJob> = {}): LoadJob => ({
  port,
  host: 'members.bench.localhost',
  path: '/api/sdk/events',
  connections: 4,
  eventsPerRequest: 3,
  requests: 50,
  warmUpMs: 0,
  measureMs: 5_000,
  ...given,
})

describe('the load generator', () => {
  test('sends exactly the requests that it was asked for, and counts what was accepted', async () => {
    const { port, requests, mostOutstanding } = await startServer()
    const result = await generateLoad(job(port))
    expect(requests).toHaveLength(50)
    expect(result).toMatchObject({ requests: 50, acceptedEvents: 150, errors: {} })
    expect(latencyAt(result.latencies, 0.5)).toBeGreaterThan(0)
    expect(mostOutstanding()).toBeLessThanOrEqual(4)
  })

  test('sends valid events, each with an id of its own, in sequence within its session', async () => {
    const { port, requests } = await startServer()
    await generateLoad(job(port))
    const events = requests.flatMap(request => request.events)
    expect(new Set(events.map(({ id }) => id)).size).toBe(150)
    for (const { id, occurred_at } of events) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(Date.parse(occurred_at))
    }
    const sessions = Map.groupBy(events, event => event.session_id)
    expect(sessions.size).toBe(4)
    expect(requests[0]?.headers.host).toBe(`members.bench.localhost:${port}`)
  })

  test.for([
    ['a refusal', 503, '{"message":"later"}', 'status 503'],
    [
      'an answer that leaves events out',
      202,
      '{"accepted":2,"duplicates":1,"rejected":[]}',
      'status 202, but not every event was accepted',
    ],
  ] as const)('counts %s as an error', async ([, status, body, error]) => {
    const { port } = await startServer(response => send(response, status, body))
    const result = await generateLoad(job(port))
    expect(result).toMatchObject({ requests: 0, acceptedEvents: 0, errors: { [error]: 50 } })
  })

  test('counts lost connections as errors and ends when none is left', async () => {
    const { port } = await startServer(response => response.destroy())
    const { errors, requests } = await generateLoad(job(port))
    expect(requests).toBe(0)
    expect(Object.values(errors).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(4)
  })

  test('keeps to a number of requests a second', async () => {
    const { port, requests } = await startServer()
    await generateLoad(job(port, { requests: 30, requestsPerSecond: 100, measureMs: 200 }))
    expect(requests.length).toBeGreaterThan(5)
    expect(requests.length).toBeLessThanOrEqual(25)
  })
})
