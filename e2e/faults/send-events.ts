import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { noteAnswer, noteBreak } from './answers.ts'
import { type HttpConnection, openConnection } from './http-connection.ts'
import type { Ledger } from './ledger.ts'

export interface SendingOptions {
  ledger: Ledger
  /** Every event is sent to each of these, at the same moment. */
  ports: readonly number[]
  connections: number
  /** Between an acknowledgement and the next events. */
  pauseMs?: number
}

export interface Sending {
  /** Sends nothing new; resolves when all that was sent is acknowledged, or after `withinMs`. */
  stop(withinMs?: number): Promise<void>
}

/** Events of one request: mostly one, at times more. */
const sizes = [1, 1, 1, 7, 1, 1, 40]
/** After a refusal or a break. Shorter than Retry-After asks, so that the pressure stays. */
const retryPauseMs = 60

let connectionsMade = 0

/** Sends events on some connections until it is stopped, at the end of the test at the latest. What is not acknowledged is sent again with the same
 *  ids, and the next events of a connection wait for it. */
export function startSending({ ledger, ports, connections, pauseMs = 4 }: SendingOptions): Sending {
  const { tenant, sent, acknowledged, sending, contradictions } = ledger
  let isStopping = false
  let hasGivenUp = false

  async function deliver(http: HttpConnection, ids: readonly string[], body: string): Promise<void> {
    while (!hasGivenUp) {
      try {
        const answer = await http.send({
          method: 'POST',
          host: tenant.domain,
          path: '/api/sdk/events',
          headers: { 'content-type': 'text/plain' },
          body,
        })
        if (noteAnswer(sending, answer, 202)) {
          const { accepted, duplicates, rejected } = JSON.parse(answer.body)
          if (accepted + duplicates !== ids.length || rejected.length > 0)
            contradictions.push(`${ids.length} events were answered ${answer.body}`)
          ledger.accepted += accepted
          for (const id of ids) acknowledged.add(id)
          return
        }
      } catch (error) {
        noteBreak(sending, error)
      }
      await delay(retryPauseMs)
    }
  }

  async function run(): Promise<void> {
    const connection = `connection-${++connectionsMade}`
    const https = ports.map(openConnection)
    let sequence = 0
    for (let turn = 0; !isStopping; turn++) {
      const ids = Array.from({ length: sizes[turn % sizes.length] ?? 1 }, () => randomUUID())
      const events = ids.map(id => {
        sent.set(id, { connection, sequence })
        return {
          id,
          type: 'page_view',
          session_id: connection,
          url: `https://news.${tenant.slug}.example/story/${sequence}`,
          event_sequence: sequence++,
        }
      })
      const body = JSON.stringify({ events })
      await Promise.all(https.map(http => deliver(http, ids, body)))
      await delay(pauseMs)
    }
    for (const http of https) http.close()
  }

  const running = Array.from({ length: connections }, run)
  async function stop(withinMs = 15_000): Promise<void> {
    isStopping = true
    const giveUp = setTimeout(() => {
      hasGivenUp = true
    }, withinMs)
    await Promise.all(running)
    clearTimeout(giveUp)
  }
  onTestFinished(() => stop(0))
  return { stop }
}
