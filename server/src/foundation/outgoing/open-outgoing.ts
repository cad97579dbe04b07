import { isIP } from 'node:net'
import { Agent, buildConnector, type Dispatcher, errors } from 'undici'
import { mayConnect } from './address-rules.ts'
import { guardLookup, type Resolve, resolveBySystem } from './guard-lookup.ts'
import { OutgoingError, outgoingErrorIn } from './outgoing-error.ts'

/** What is sent; as much of `fetch` as libraries of OAuth use. */
export interface OutgoingRequest {
  method: string
  headers: Record<string, string>
  body?: string | URLSearchParams | Uint8Array | ArrayBuffer | ReadableStream | null | undefined
  signal?: AbortSignal | undefined
}

/** Asks servers whose addresses somebody else has named. */
export interface Outgoing {
  /** Fetches without following redirects: over https, from public addresses, or in development also over http and from
   *  this machine. Throws an OutgoingError. */
  fetch(url: string, request: OutgoingRequest): Promise<Response>
  /** Ends all connections. */
  close(): Promise<void>
}

export interface OutgoingOptions {
  /** In development: http, and addresses of this machine. */
  allowLocal: boolean
  /** For a whole answer. */
  timeoutMs?: number
  maxBytes?: number
  resolve?: Resolve
}

/** Far more than a discovery document, a set of keys or a token answer has. */
const MAX_BYTES = 262_144
const MAX_HEADER_BYTES = 16_384
const TIMEOUT_MS = 6_000
const CONNECT_TIMEOUT_MS = 3_000

async function readAll(body: Dispatcher.ResponseData['body'], maxBytes: number, url: URL): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    // Leaving the loop destroys the body, and with it the connection.
    if (bytes > maxBytes)
      throw new OutgoingError('too_large', `${url.host} answered more than ${maxBytes} bytes.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function toResponse({ statusCode: status, headers }: Dispatcher.ResponseData, body: Buffer): Response {
  const kept = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const one of [value ?? []].flat()) kept.append(name, one)
  // These have none (Fetch, "null body status").
  return new Response([204, 205, 304].includes(status) ? null : Uint8Array.from(body), {
    status,
    headers: kept,
  })
}

function checkUrl(text: string, allowLocal: boolean): URL {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && !(allowLocal && url.protocol === 'http:')))
    throw new OutgoingError('forbidden', `${url?.host ?? 'This'} is not an https address.`)
  if (url.username !== '' || url.password !== '')
    throw new OutgoingError('forbidden', `The address of ${url.host} holds a user or a password.`)
  return url
}

/** Opens the way out. */
export function openOutgoing(options: OutgoingOptions): Outgoing {
  const { allowLocal, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, resolve = resolveBySystem } = options
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    lookup: guardLookup(resolve, allowLocal),
  })
  const agent = new Agent({
    maxHeaderSize: MAX_HEADER_BYTES,
    connect(to, callback) {
      // For an address in place of a name nobody looks anything up.
      const address = to.hostname.replace(/^\[|\]$/g, '')
      if (isIP(address) !== 0 && !mayConnect(address, allowLocal)) {
        callback(new OutgoingError('forbidden', `${address} is not an address that may be asked.`), null)
        return
      }
      connect(to, callback)
    },
  })

  return {
    async fetch(text, { method, headers, body, signal }) {
      const url = checkUrl(text, allowLocal)
      const deadline = AbortSignal.timeout(timeoutMs)
      try {
        const answer = await agent.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: method as Dispatcher.HttpMethod,
          // Nothing is unpacked here, so that a small answer cannot become a large one.
          headers: { ...headers, 'accept-encoding': 'identity' },
          body: body instanceof URLSearchParams ? body.toString() : ((body ?? null) as string | null),
          signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
        })
        return toResponse(answer, await readAll(answer.body, maxBytes, url))
      } catch (error) {
        const told = outgoingErrorIn(error)
        if (told) throw told
        const isSlow = deadline.aborted || signal?.aborted || error instanceof errors.ConnectTimeoutError
        throw isSlow
          ? new OutgoingError('slow', `${url.host} did not answer in time.`, error)
          : new OutgoingError('away', `${url.host} cannot be reached.`, error)
      }
    },
    close: () => agent.destroy(),
  }
}
