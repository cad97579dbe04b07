import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What befalls a request with events on its way. */
export type Fault =
  /** Never reaches the server. */
  | 'cut before'
  /** The server stores the events, and nobody hears of it. */
  | 'cut after'
  /** Neither an answer nor an end. */
  | 'silence'
  /** Something that is not HTTP. */
  | 'garbage'
  /** An answer in the server's place. */
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Each way takes so long. */
  | { delayMs: number }

/** A request with events, as it was sent. */
export interface Sent {
  ids: string[]
  token: string | undefined
  atMs: number
}

interface Traveller {
  fault: Fault | undefined
  sent: Sent[]
}

const COLLECT = '/api/sdk/events'

/**
 * A way from browsers to a server on this machine, whose port is named later with `leadTo`. What befalls the
 * requests with events is decided for each reader, who is told by the name of the site that they read.
 */
export async function startRoad() {
  let toPort = 0
  const travellers = new Map<string, Traveller>()
  const travellerOf = (name: string): Traveller => {
    let traveller = travellers.get(name)
    if (!traveller) {
      traveller = { fault: undefined, sent: [] }
      travellers.set(name, traveller)
    }
    return traveller
  }
  const forward = (incoming: IncomingMessage, body: Buffer) =>
    new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
      const { method, url, headers } = incoming
      const sent = request(
        { host: '127.0.0.1', port: toPort, method, path: url, headers, agent: false },
        answer => {
          const chunks: Buffer[] = []
          answer.on('data', chunk => chunks.push(chunk))
          answer.on('error', reject)
          answer.on('end', () =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
          )
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const isCollect = incoming.method === 'POST' && incoming.url === COLLECT
    const traveller = travellerOf(/^http:\/\/([\w-]+)\./.exec(incoming.headers.origin ?? '')?.[1] ?? '')
    const fault = isCollect ? traveller.fault : undefined
    if (isCollect) {
      const { events, token } = JSON.parse(body.toString())
      traveller.sent.push({ ids: events.map(({ id }: { id: string }) => id), token, atMs: Date.now() })
    }
    const { socket } = incoming
    if (fault === 'silence') return
    if (fault === 'cut before') return void socket.destroy()
    if (fault === 'garbage') return void socket.end('HTTP/9 what? \0\r\n\r\n')
    if (typeof fault === 'object' && 'status' in fault) {
      response.writeHead(fault.status, fault.headers)
      response.end(fault.body)
      return
    }
    const delayMs = typeof fault === 'object' ? fault.delayMs : 0
    if (delayMs) await sleep(delayMs)
    const answer = await forward(incoming, body)
    if (fault === 'cut after') return void socket.destroy()
    if (delayMs) await sleep(delayMs)
    response.writeHead(answer.status, answer.headers)
    response.end(answer.body)
  }

  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => incoming.socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port: number): void {
      toPort = port
    },
    /** From now on this befalls what the reader sends; nothing does without a fault. */
    befall(reader: string, fault?: Fault): void {
      travellerOf(reader).fault = fault
    },
    sentBy: (reader: string): Sent[] => travellerOf(reader).sent,
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export type Road = Awaited<ReturnType<typeof startRoad>>
