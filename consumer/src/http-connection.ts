import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { QueueError } from './queue-error.ts'

/** An answer of which the body is still to come. */
export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: AsyncIterable<Buffer>
}

/** One keep-alive connection to the platform, made again whenever it broke. */
export interface HttpConnection {
  /**
   * Sends a request and gives `take`'s reading of the answer. Throws a QueueError of status 0 when there is no answer,
   * when it breaks off, or when nothing comes for `timeoutMs`; throws the signal's reason when it is aborted.
   */
  send<T>(
    request: { method: 'GET' | 'DELETE'; url: URL; headers: Record<string, string> },
    signal: AbortSignal | undefined,
    take: (answer: Answer) => Promise<T>,
  ): Promise<T>
  close(): void
}

// Node's own http, as fetch neither takes an agent or a look-up nor hands over the bytes as they come without another copy.

/** Names below localhost are this machine's (RFC 6761, 6.3); Node leaves them to the system, which may not know. */
const lookupLocalhost: LookupFunction = (_host, options, done) => {
  if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }])
  else done(null, '127.0.0.1', 4)
}

/** Opens nothing yet: the first `send` does. Silence of `timeoutMs` ends a request. */
export function openConnection(isSecure: boolean, timeoutMs: number): HttpConnection {
  const options = { keepAlive: true, maxSockets: 1 }
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options)
  const request = isSecure ? httpsRequest : httpRequest

  const sendOnce: HttpConnection['send'] = ({ method, url, headers }, signal, take) =>
    new Promise((resolve, reject) => {
      const lookup = url.hostname.endsWith('.localhost') ? { lookup: lookupLocalhost } : {}
      const outgoing = request(
        url,
        { method, headers, agent, timeout: timeoutMs, ...lookup, ...(signal && { signal }) },
        incoming => {
          take({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming }).then(
            resolve,
            error => {
              // What was not read to its end cannot be followed by another answer.
              incoming.destroy()
              reject(error)
            },
          )
        },
      )
      outgoing.on('timeout', () => outgoing.destroy(new Error(`nothing came for ${timeoutMs / 1000} s`)))
      outgoing.on('error', error => {
        reject(outgoing.reusedSocket && isReset(error) ? new StaleConnection(error) : error)
      })
      outgoing.end()
    })

  return {
    async send(outgoing, signal, take) {
      for (;;) {
        try {
          return await sendOnce(outgoing, signal, take)
        } catch (error) {
          signal?.throwIfAborted()
          // The other side closed an idle connection just now. Each of our requests may be sent twice.
          if (error instanceof StaleConnection) continue
          if (error instanceof QueueError) throw error
          throw new QueueError(`${outgoing.url.host} does not answer (${reasonOf(error)})`, 0, 0, {
            cause: error,
          })
        }
      }
    },
    close: () => agent.destroy(),
  }
}

/** The connection was closed while it was idle, which only the next request notices. */
class StaleConnection extends Error {
  constructor(cause: unknown) {
    super('the connection was closed while it was idle', { cause })
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

const isReset = (error: unknown): boolean => ['ECONNRESET', 'EPIPE'].includes(String(codeOf(error)))

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Of several addresses that were tried, Node tells only the code.
  return error.message || String(codeOf(error))
}
