import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { openConnection } from '../faults/http-connection.ts'
import type { RunningPlatform } from '../start-platform.ts'

/** Where the events of a test come from, and the ledger of what was acknowledged. */
export interface EventSource {
  /** Ids in the order in which they were accepted. */
  sent: string[]
  /** Tracks events of a browser; resolves when they are acknowledged. */
  send(count: number): Promise<void>
  /** Resolves when nothing waits in the queue any more. */
  untilEmpty(): Promise<void>
  close(): void
}

const perRequest = 100

export function openEventSource(platform: RunningPlatform): EventSource {
  const http = openConnection(platform.port)
  const sent: string[] = []

  async function sendSome(count: number): Promise<void> {
    const ids = Array.from({ length: count }, () => randomUUID())
    const events = ids.map((id, index) => ({
      id,
      type: 'page_view',
      session_id: 'a-session',
      url: `https://news.example/é/${sent.length + index}`,
      event_sequence: sent.length + index,
    }))
    const { status, body } = await http.send({
      method: 'POST',
      host: new URL(platform.tenantUrl).host,
      path: '/api/sdk/events',
      headers: { 'content-type': 'text/plain' },
      body: JSON.stringify({ events }),
    })
    if (status !== 202 || JSON.parse(body).accepted !== count)
      throw new Error(`the platform answered ${status}: ${body}`)
    sent.push(...ids)
  }

  return {
    sent,
    async send(count) {
      for (let left = count; left > 0; left -= perRequest) await sendSome(Math.min(left, perRequest))
    },
    async untilEmpty() {
      for (let look = 0; look < 400; look++) {
        const { body } = await platform.call('GET', '/api/v1/health')
        if (JSON.parse(body).queues.events.depth === 0) return
        await delay(50)
      }
      throw new Error('events still waited after 20 s')
    },
    close: () => http.close(),
  }
}
