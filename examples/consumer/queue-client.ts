import { randomUUID } from 'node:crypto'
import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'

/** An event as the queue serves it (interface 2.4), with the fields that are there only at times. */
export interface EventRecord {
  id: string
  type: string
  session_id: string
  audience_member_id: string | null
  url: string
  page_hostname: string
  page_path: string
  user_agent: string
  ip_address: string
  event_sequence: number
  created_at: string
  occurred_at?: string
  properties?: Record<string, string | number | boolean | null>
}

/** What one read gave: to be removed when all of it is dealt with. */
export interface Batch {
  events: EventRecord[]
  count: number
  /** Names the removal, so that one that is sent again removes nothing more. */
  idempotencyKey: string
}

/** The platform did not do what it was asked to. */
export class QueueError extends Error {
  override name = 'QueueError'
  /** The status of the answer; 0 where there was none. */
  readonly status: number
  /** The wait that the platform asks for. */
  readonly retryAfterMs: number
  constructor(message: string, status: number, retryAfterMs: number, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }

  /** Whether the same request may well succeed later. */
  get passes(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500
  }
}

const TIMEOUT_MS = 30_000

/** Names below localhost are this machine's (RFC 6761, 6.3); Node leaves them to the system, which may not know. */
const lookupLocalhost: LookupFunction = (_host, options, done) => {
  if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }])
  else done(null, '127.0.0.1', 4)
}

interface Answer {
  status: number
  retryAfterS: number
  body: string
}

function send(url: URL, options: RequestOptions): Promise<Answer> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const lookup = url.hostname.endsWith('.localhost') ? { lookup: lookupLocalhost } : {}
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, ...lookup, timeout: TIMEOUT_MS }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode = 0, headers } = response
        const retryAfterS = Number(headers['retry-after']) || 0
        resolve({ status: statusCode, retryAfterS, body: Buffer.concat(chunks).toString() })
      })
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)))
    sent.on('error', reject)
    sent.end()
  })
}

function messageOf({ status, body }: Answer): string {
  try {
    const { message } = JSON.parse(body)
    return typeof message === 'string' ? `${status}: ${message}` : `${status}`
  } catch {
    return `${status}`
  }
}

export type QueueClient = ReturnType<typeof createQueueClient>

/** Reads and removes events (interface 4.4 and 4.5). Both calls throw a QueueError, or an AbortError. */
export function createQueueClient({ url, key }: { url: string; key: string }) {
  const call = async (method: string, expected: number, query = '', headers = {}, signal?: AbortSignal) => {
    const address = new URL(`/api/platform/events${query}`, url)
    let answer: Answer
    try {
      answer = await send(address, {
        method,
        headers: { authorization: `Bearer ${key}`, ...headers },
        ...(signal && { signal }),
      })
    } catch (cause) {
      if (signal?.aborted) throw cause
      const why = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : ''
      throw new QueueError(`${address.host} does not answer (${why})`, 0, 0, { cause })
    }
    if (answer.status !== expected)
      throw new QueueError(messageOf(answer), answer.status, answer.retryAfterS * 1000)
    return answer.body
  }
  return {
    /** What waits at the front of the queue, which stays there. */
    async read(signal: AbortSignal): Promise<Batch> {
      const { data } = JSON.parse(await call('GET', 200, '', {}, signal))
      return { events: data.events, count: data.count, idempotencyKey: randomUUID() }
    },

    /** Removes what was read; may be called again with the same batch where it is not known whether it worked. */
    async remove({ events: [first], count, idempotencyKey }: Batch): Promise<void> {
      if (!first) return
      await call('DELETE', 204, `?count=${count}&first_id=${first.id}`, { 'idempotency-key': idempotencyKey })
    },
  }
}
