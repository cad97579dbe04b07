import { Agent, request } from 'node:http'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
  /** From sending to the last byte. */
  tookMs: number
}

export interface Call {
  method: 'GET' | 'POST' | 'DELETE'
  /** The Host header, which names the tenant. */
  host: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** One keep-alive connection, so that a second call leaves after the first was answered or broke. */
export interface HttpConnection {
  /** Throws when the connection breaks or cannot be made; past `patienceMs` it breaks it off itself. */
  send(call: Call): Promise<Answer>
  close(): void
}

/** Far past every deadline of the platform: who waits so long was forgotten. */
const patienceMs = 15_000

/** The message of an error that `send` throws when nothing was answered in time. */
export const FORGOTTEN = `no answer within ${patienceMs} ms`

/** Opens a connection to a port of this machine, and again whenever it broke. */
export function openConnection(port: number): HttpConnection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    send({ method, host, path, headers = {}, body = '' }) {
      return new Promise((resolve, reject) => {
        const sentMs = performance.now()
        const length = body ? { 'content-length': String(Buffer.byteLength(body)) } : {}
        const outgoing = request(
          { host: '127.0.0.1', port, method, path, agent, headers: { host, ...headers, ...length } },
          incoming => {
            const pieces: Buffer[] = []
            incoming.on('data', (piece: Buffer) => pieces.push(piece))
            incoming.on('error', reject)
            incoming.on('end', () => {
              resolve({
                status: incoming.statusCode ?? 0,
                headers: incoming.headers,
                body: Buffer.concat(pieces).toString(),
                tookMs: performance.now() - sentMs,
              })
            })
          },
        )
        const timer = setTimeout(() => outgoing.destroy(new Error(FORGOTTEN)), patienceMs)
        outgoing.on('error', reject)
        outgoing.on('close', () => clearTimeout(timer))
        outgoing.end(body)
      })
    },
    close: () => agent.destroy(),
  }
}
