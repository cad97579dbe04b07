import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string
}

export interface Recorded {
  method: string
  /** Path and query. */
  url: string
  headers: IncomingHttpHeaders
  body: string
}

export interface CollectServer extends AsyncDisposable {
  origin: string
  endpoint: string
  received: Recorded[]
  /** The ids of each request's events. */
  batches(): string[][]
  /** Answers the coming requests with these, one each, 'hang up' by closing the connection and 'silence' not at all; then
   *  takes all. */
  answer(...answers: (Answer | 'hang up' | 'silence')[]): void
}

/** An HTTP server that records what it is sent and answers what the test tells it to. */
export async function startCollectServer(): Promise<CollectServer> {
  const received: Recorded[] = []
  const answers: (Answer | 'hang up' | 'silence')[] = []
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const { method = '', url = '', headers } = request
    received.push({ method, url, headers, body })
    const answer = answers.shift() ?? {
      status: 202,
      body: JSON.stringify({ accepted: JSON.parse(body).events.length, duplicates: 0, rejected: [] }),
    }
    if (answer === 'silence') return
    if (answer === 'hang up') {
      request.socket.destroy()
      return
    }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(answer.body ?? '')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    endpoint: `http://127.0.0.1:${port}/api/sdk/events`,
    received,
    batches: () =>
      received.map(({ body }) => JSON.parse(body).events.map((event: { id: string }) => event.id)),
    answer: (...more) => void answers.push(...more),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
