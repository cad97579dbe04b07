import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The moments of a consumer's loop at which it can be held, in their order. */
export const holdPoints = [
  'before the read arrives',
  'in the middle of what it reads',
  'before the last byte of what it reads',
  'before the removal arrives',
  'before the answer to the removal',
  'before the next read arrives',
] as const
export type HoldPoint = (typeof holdPoints)[number]

/** A way to the platform on which one request of a consumer is held. */
export interface HoldingProxy {
  port: number
  /** From now on; resolves when a consumer has come so far. It stays there until it is killed. */
  holdAt(point: HoldPoint): Promise<void>
  /** Cuts off what is held, and lets everything pass again. */
  release(): void
  /** What it let pass: method, path and answer. */
  passed: string[]
  close(): Promise<void>
}

interface Forwarded {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

/** To the platform's host, by whatever name it was reached here. */
function forward(port: number, incoming: IncomingMessage): Promise<Forwarded> {
  const { method, url } = incoming
  const headers = { ...incoming.headers, host: `platform.localhost:${port}` }
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Stands between a consumer and the platform on `platformPort`. */
export async function startHoldingProxy(platformPort: number): Promise<HoldingProxy> {
  let point: HoldPoint | undefined
  let reached: (() => void) | undefined
  let removals = 0
  const passed: string[] = []
  const open = new Set<ServerResponse>()

  /** Whether the consumer is held here, which then is told. */
  const holdsAt = (here: HoldPoint): boolean => {
    if (point !== here) return false
    reached?.()
    return true
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const isRead = incoming.method === 'GET'
    if (isRead && removals === 0 && holdsAt('before the read arrives')) return
    if (isRead && removals > 0 && holdsAt('before the next read arrives')) return
    if (!isRead && holdsAt('before the removal arrives')) return
    const { status, headers, body } = await forward(platformPort, incoming)
    passed.push(`${incoming.method} ${incoming.url} ${status}`)
    if (!isRead) {
      removals++
      if (holdsAt('before the answer to the removal')) return
    }
    outgoing.writeHead(status, headers)
    const isEmpty = body.length < 100
    if (isRead && !isEmpty) {
      const shares = [
        ['in the middle of what it reads', body.length >> 1],
        ['before the last byte of what it reads', body.length - 1],
      ] as const
      for (const [here, bytes] of shares)
        if (point === here) {
          outgoing.write(body.subarray(0, bytes), () => holdsAt(here))
          return
        }
    }
    outgoing.end(body)
  }

  const server = createServer((incoming, outgoing) => {
    open.add(outgoing)
    outgoing.on('close', () => open.delete(outgoing))
    answer(incoming, outgoing).catch(() => outgoing.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    holdAt(wanted) {
      point = wanted
      removals = 0
      return new Promise(resolve => {
        reached = resolve
      })
    },
    release() {
      point = undefined
      for (const outgoing of open) outgoing.destroy()
    },
    passed,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
