import { randomUUID } from 'node:crypto'
import type { EventRecord } from './event-record.ts'
import { type Answer, type HttpConnection, openConnection } from './http-connection.ts'
import { QueueError } from './queue-error.ts'
import { readEvents } from './read-events.ts'

/** Where a queue is, and with which key it is read. */
export interface QueueOptions {
  /** The platform's address, or that of the tenant's domain. A path before /api/ is kept. */
  url: string | URL
  /** An API key of the tenant's with the abilities events:read and events:delete. */
  key: string
  /** The Event Queue unless set. */
  queue?: 'events' | 'heartbeats'
  /** Most events of a batch, 1 to 10,000; 10,000 unless set. */
  limit?: number
  /** How long nothing may come before a request is sent again, in ms; 30,000 unless set. */
  timeoutMs?: number
}

/** What one read gave, which is to be removed when all of it is processed. */
export interface Read {
  events: EventRecord[]
  /** Names the removal, so that one that is sent again removes nothing more. */
  idempotencyKey: string
}

/** Reads and removes (interface 4.4 and 4.5). Both throw a QueueError, or the signal's reason. */
export interface QueueClient {
  /** What waits at the front of the queue, which stays there. */
  read(signal?: AbortSignal): Promise<Read>
  /** Removes what was read; may be called again with the same read where it is not known whether it worked. */
  remove(read: Read, signal?: AbortSignal): Promise<void>
  close(): void
}

const mostOfARead = 10_000
/** Of a body that says why; the rest is of no use. */
const longestMessage = 2_000

/** Opens a queue. Throws a TypeError that says which option is wrong. */
export function openQueue(options: QueueOptions): QueueClient {
  const { key, queue = 'events', limit = mostOfARead, timeoutMs = 30_000 } = options
  const base = baseOf(options.url)
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('key must be the API key, as it was shown when it was made')
  if (queue !== 'events' && queue !== 'heartbeats')
    throw new TypeError('queue must be "events" or "heartbeats"')
  if (!Number.isInteger(limit) || limit < 1 || limit > mostOfARead)
    throw new TypeError(`limit must be an integer from 1 to ${mostOfARead}`)
  if (!(timeoutMs >= 1)) throw new TypeError('timeoutMs must be a number of milliseconds')

  const http: HttpConnection = openConnection(base.protocol === 'https:', timeoutMs)
  const address = new URL(`api/platform/${queue}`, base)
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' }
  return {
    read(signal) {
      const url = new URL(address)
      if (limit < mostOfARead) url.searchParams.set('limit', String(limit))
      return http.send({ method: 'GET', url, headers }, signal, async answer => {
        await expectStatus(answer, 200)
        const events = await readEvents(answer.body).catch(cause => {
          if (!(cause instanceof SyntaxError)) throw cause
          throw new QueueError(`the answer is not one of the queue: ${cause.message}`, 0, 0, { cause })
        })
        return { events, idempotencyKey: randomUUID() }
      })
    },

    async remove({ events, idempotencyKey }, signal) {
      const [first] = events
      if (!first) return
      const url = new URL(address)
      url.searchParams.set('count', String(events.length))
      url.searchParams.set('first_id', first.id)
      await http.send(
        { method: 'DELETE', url, headers: { ...headers, 'idempotency-key': idempotencyKey } },
        signal,
        async answer => {
          await expectStatus(answer, 204)
          for await (const _ of answer.body);
        },
      )
    },

    close: () => http.close(),
  }
}

function baseOf(url: string | URL): URL {
  const base = URL.canParse(String(url)) ? new URL(url) : undefined
  if (!base || !/^https?:$/.test(base.protocol))
    throw new TypeError('url must be the http or https address of the platform or of the tenant’s domain')
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return base
}

/** Throws what the platform answered instead, with its own message where it gave one. */
async function expectStatus({ status, headers, body }: Answer, expected: number): Promise<void> {
  if (status === expected) return
  let text = ''
  for await (const chunk of body) if (text.length < longestMessage) text += chunk.toString()
  const message = messageOf(text)
  const to = status >= 300 && status < 400 && headers.location ? ` to ${headers.location}` : ''
  throw new QueueError(
    `the platform answered ${status}${to}${message ? `: ${message}` : ''}`,
    status,
    retryAfterMsOf(headers['retry-after']),
  )
}

function messageOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text)
    return typeof message === 'string' ? message : undefined
  } catch {
    return undefined
  }
}

/** Seconds or a date (RFC 9110, 10.2.3), as ms; 0 where it says neither. */
function retryAfterMsOf(value = ''): number {
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000
  return Math.max(0, Date.parse(value) - Date.now() || 0)
}
