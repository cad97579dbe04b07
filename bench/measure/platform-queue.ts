import type { LoadJob } from '../load/load-job.ts'
import { readFront, removeFromFront, rewindTo } from '../platform/queue-client.ts'
import { type Bench, onPlatform, runLoad } from './bench.ts'
import { type MeasuredQueue, readSize } from './measured-queue.ts'

const eventsPerRequest = 100
const fillConnections = 8
const fillTimeoutMs = 10 * 60_000

/** The platform's own queue, from its front over what waits in it now. */
export async function platformQueue(bench: Bench): Promise<MeasuredQueue> {
  const { queue } = bench.platform
  // A rewind to where the head is changes nothing, and tells where that is.
  const { position: start, depth } = await rewindTo(queue, await drain(bench))
  if (depth > 0) throw new Error(`${depth} events still wait after the queue was drained`)
  let filled = 0

  return {
    name: 'platform',
    async growTo(wanted) {
      if (wanted === filled) return 0
      const job: LoadJob = {
        ...onPlatform(bench),
        connections: fillConnections,
        eventsPerRequest,
        requests: (wanted - filled) / eventsPerRequest,
        warmUpMs: 0,
        measureMs: fillTimeoutMs,
      }
      const { acceptedEvents } = await runLoad(bench, job)
      filled += acceptedEvents
      const now = await rewindTo(queue, start)
      if (now.depth !== wanted) throw new Error(`${now.depth} events wait, not ${wanted}`)
      return acceptedEvents
    },
    async read() {
      const answer = await queue.read()
      const { count } = readFront(answer)
      if (count !== readSize) throw new Error(`a GET answers ${count} events, not ${readSize}`)
      return answer.tookMs
    },
    async remove(count) {
      const { firstId } = readFront(await queue.read(1))
      if (firstId === undefined) throw new Error('nothing waits to be removed')
      return removeFromFront(queue, count, firstId)
    },
    async restore() {
      const now = await rewindTo(queue, start)
      if (now.depth !== filled) throw new Error(`${now.depth} events wait after a rewind, not ${filled}`)
    },
    async close() {},
  }
}

/** Removes everything that waits; gives the position that the queue then stands at. The check that
 *  nothing was lost on the way: every event that was acknowledged has a position. */
async function drain({ platform, acknowledged, faults }: Bench): Promise<number> {
  const { queue } = platform
  // The log was empty at the start of the bench, and nothing was removed until now.
  const { depth } = await rewindTo(queue, 0)
  if (depth !== acknowledged)
    faults.push(`${acknowledged} events were acknowledged, but ${depth} are in the queue`)
  const { firstId } = readFront(await queue.read(1))
  if (firstId !== undefined) await removeFromFront(queue, depth, firstId)
  return depth
}

/** The records of the front, as text, for the rivals. */
export async function readSample({ platform }: Bench): Promise<string[]> {
  const answer = await platform.queue.read()
  readFront(answer)
  const { data } = JSON.parse(answer.body.toString()) as { data: { events: unknown[] } }
  return data.events.map(event => JSON.stringify(event))
}
