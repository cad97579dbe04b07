import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { noteAnswer, noteBreak } from './answers.ts'
import { type Answer, openConnection } from './http-connection.ts'
import type { Ledger } from './ledger.ts'

export interface ConsumingOptions {
  ledger: Ledger
  port: number
  /** Events of one read at most. */
  limit?: number
  /** Between a removal and the next read. */
  pauseMs?: number
  /** Reads of which every so many-th is not followed by a removal, as of a consumer that dies between. */
  forgetEvery?: number
}

export interface Consuming {
  /** Reads and removes until nothing waits. That it took longer than `withinMs` is a contradiction. */
  drain(withinMs?: number): Promise<void>
  /** Lets go of the queue after the removal that is under way. */
  stop(): Promise<void>
}

const path = '/api/platform/events'
const retryPauseMs = 60

/** The consumer loop of interface 4.5 with `first_id` and an Idempotency-Key: a removal whose answer was lost
 *  is sent again as it was. It ends at the end of the test at the latest. */
export function startConsuming(options: ConsumingOptions): Consuming {
  const { ledger, port, limit = 500, pauseMs = 10, forgetEvery = 5 } = options
  const { tenant, consuming, contradictions, removed } = ledger
  const http = openConnection(port)
  const common = { host: tenant.domain, headers: { authorization: `Bearer ${tenant.token}` } }
  let isStopping = false
  let isDraining = false

  async function read(): Promise<string[] | undefined> {
    try {
      const answer = await http.send({ ...common, method: 'GET', path: `${path}?limit=${limit}` })
      if (!noteAnswer(consuming, answer, 200)) return undefined
      const { count, events } = JSON.parse(answer.body).data as { count: number; events: { id: string }[] }
      if (count !== events.length) contradictions.push(`count is ${count} of ${events.length} events`)
      return events.map(({ id }) => id)
    } catch (error) {
      noteBreak(consuming, error)
      return undefined
    }
  }

  /** Undefined when it was stopped before there was an answer. */
  async function remove(count: number, firstId: string): Promise<Answer | undefined> {
    const headers = { ...common.headers, 'idempotency-key': randomUUID() }
    const query = `?count=${count}&first_id=${firstId}`
    while (!isStopping) {
      try {
        const answer = await http.send({ ...common, headers, method: 'DELETE', path: `${path}${query}` })
        if (answer.status === 409) ledger.overtaken++
        else noteAnswer(consuming, answer, 204)
        if (answer.status !== 503) return answer
      } catch (error) {
        noteBreak(consuming, error)
      }
      await delay(retryPauseMs)
    }
    return undefined
  }

  async function run(): Promise<void> {
    let unremoved: string[] = []
    for (let turn = 1; !isStopping; turn++) {
      const ids = await read()
      if (!ids) {
        await delay(retryPauseMs)
        continue
      }
      if (unremoved.some((id, at) => ids[at] !== id))
        contradictions.push('what was read and not removed was not read again')
      unremoved = ids
      const [firstId] = ids
      if (firstId === undefined) {
        if (isDraining) return
        await delay(pauseMs)
      } else if (turn % forgetEvery !== 0) {
        const answer = await remove(ids.length, firstId)
        if (answer?.status === 204) removed.push(...ids)
        unremoved = []
        await delay(pauseMs)
      }
    }
  }

  const running = run().finally(() => http.close())
  async function stop(): Promise<void> {
    isStopping = true
    await running
  }
  onTestFinished(stop)
  return {
    stop,
    async drain(withinMs = 20_000) {
      isDraining = true
      const late = setTimeout(() => {
        contradictions.push(`the queue was not empty after ${withinMs} ms`)
        isStopping = true
      }, withinMs)
      await running
      clearTimeout(late)
    },
  }
}
