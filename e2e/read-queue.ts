import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningPlatform } from './start-platform.ts'

/** An event as it comes out of the queue. */
export type Served = Record<string, unknown> & {
  id: string
  type: string
  event_sequence: number
  url: string
}

type Queue = 'events' | 'heartbeats'

/** What waits in the queue now. */
export async function readQueue(platform: RunningPlatform, queue: Queue = 'events'): Promise<Served[]> {
  const { status, body } = await platform.call('GET', `/api/platform/${queue}`)
  if (status !== 200) throw new Error(`GET /api/platform/${queue} answered ${status}: ${body}`)
  const { data } = JSON.parse(body)
  if (data.count !== data.events.length) throw new Error(`count is ${data.count}, not ${data.events.length}`)
  return data.events
}

/** Reads until `enough` says so, and throws with what there is after `withinMs`. */
export async function waitForEvents(
  platform: RunningPlatform,
  enough: (events: Served[]) => boolean,
  { withinMs = 20_000, queue = 'events' }: { withinMs?: number; queue?: Queue } = {},
): Promise<Served[]> {
  const untilMs = Date.now() + withinMs
  for (;;) {
    const events = await readQueue(platform, queue)
    if (enough(events)) return events
    if (Date.now() > untilMs)
      throw new Error(
        `Not in the queue within ${withinMs} ms; there is: ${events.map(({ type, url }) => `${type} ${url}`).join(', ') || 'nothing'}`,
      )
    await sleep(100)
  }
}

/** Removes everything, so that the next test begins with an empty queue. */
export async function emptyQueue(platform: RunningPlatform, queue: Queue = 'events'): Promise<void> {
  const events = await readQueue(platform, queue)
  if (events.length > 0) await platform.call('DELETE', `/api/platform/${queue}?count=${events.length}`)
}
