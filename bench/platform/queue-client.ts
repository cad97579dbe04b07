import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import type { BenchTenant } from './platform-file.ts'

export interface QueueAnswer {
  status: number
  body: Buffer
  /** From the request to the last byte of the answer. */
  tookMs: number
}

/** A consumer of the Event Queue (interface 4.4 and 4.5), over one keep-alive connection. */
export interface QueueClient {
  read(limit?: number): Promise<QueueAnswer>
  /** With `first_id` and an Idempotency-Key, as consumers should. */
  remove(count: number, firstId: string): Promise<QueueAnswer>
  rewind(toPosition: number): Promise<QueueAnswer>
  close(): void
}

const timeoutMs = 30_000

/** Opens a consumer with the tenant's key. Its calls throw when there is no answer. */
export function openQueueClient(port: number, tenant: BenchTenant): QueueClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const common = { host: '127.0.0.1', port, agent, timeout: timeoutMs }
  const headers = { host: `${tenant.domain}:${port}`, authorization: `Bearer ${tenant.consumerToken}` }

  function call(
    method: string,
    path: string,
    extra: Record<string, string | number> = {},
    body = '',
  ): Promise<QueueAnswer> {
    return new Promise((resolve, reject) => {
      const sentAt = performance.now()
      const sending = request({ ...common, method, path, headers: { ...headers, ...extra } }, response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const tookMs = performance.now() - sentAt
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks), tookMs })
        })
      })
      sending.on('timeout', () => sending.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
      sending.on('error', reject)
      sending.end(body)
    })
  }

  const path = '/api/platform/events'
  return {
    read: limit => call('GET', limit === undefined ? path : `${path}?limit=${limit}`),
    remove: (count, firstId) =>
      call('DELETE', `${path}?count=${count}&first_id=${firstId}`, { 'idempotency-key': randomUUID() }),
    rewind(to) {
      const body = JSON.stringify({ to })
      const extra = { 'content-type': 'application/json', 'content-length': body.length }
      return call('POST', `${path}/rewind`, extra, body)
    },
    close: () => agent.destroy(),
  }
}

/** How many events an answer of GET holds and the id of the first; read from its beginning, as the
 *  events need not be parsed for it. Throws when it is not a good answer. */
export function readFront({ status, body }: QueueAnswer): { count: number; firstId: string | undefined } {
  const start = body.subarray(0, 120).toString()
  const [, count, firstId] =
    /^\{"data":\{"count":(\d+),"events":\[(?:\{"id":"([0-9a-f-]{36})")?/.exec(start) ?? []
  if (status !== 200 || count === undefined || !body.subarray(-3).equals(Buffer.from(']}}')))
    throw new Error(`the queue answers ${status}: ${start}`)
  return { count: Number(count), firstId }
}

/** Removes from the front and checks that it was done. Gives the time of the DELETE in ms. */
export async function removeFromFront(queue: QueueClient, count: number, firstId: string): Promise<number> {
  const { status, body, tookMs } = await queue.remove(count, firstId)
  if (status !== 204) throw new Error(`a DELETE of ${count} is answered ${status}: ${body}`)
  return tookMs
}

/** Moves the front back to a position and tells where it stands. Position 0 is the very first event. */
export async function rewindTo(
  queue: QueueClient,
  toPosition: number,
): Promise<{ position: number; depth: number }> {
  const { status, body } = await queue.rewind(toPosition)
  if (status !== 200) throw new Error(`a rewind is answered ${status}: ${body}`)
  return (JSON.parse(body.toString()) as { data: { position: number; depth: number } }).data
}
