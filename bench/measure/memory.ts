import { setTimeout as delay } from 'node:timers/promises'
import { latencyAt } from '../load/latencies.ts'
import { startLoadGenerator } from '../load/load-generator.ts'
import type { LoadJob } from '../load/load-job.ts'
import { readFront, removeFromFront } from '../platform/queue-client.ts'
import type { Platform } from '../platform/start-platform.ts'
import { residentMemory } from '../process/process-figures.ts'
import { type Finding, show } from '../report/findings.ts'
import { slope } from '../report/statistics.ts'
import { type Bench, onPlatform, runLoad } from './bench.ts'

const sampleMs = 1_000
const targetMiB = 300
/** What the least-squares line may rise by and still be called flat: RSS itself jumps by more with each
 *  collection of garbage. */
const flatMiBPerMinute = 5
/** The last part of the time is looked at for its slope: 3 minutes of 5. */
const slopeShare = 0.6
const batchSize = 50
const batchesPerSecond = 100

/** Resident memory of the server, freshly started, under single events as fast as they go, batches
 *  beside them, and a consumer that drains the queue. */
export async function measureMemory(bench: Bench): Promise<Finding[]> {
  const { options, platform, print } = bench
  const minutes = show(options.memoryMs / 60_000, 1)
  print(`\nMemory of the server, ${minutes} minutes of single events, batches and a consumer`)
  const already = await drainQueue(platform)
  const second = await startLoadGenerator()
  const stop = new AbortController()
  const job: LoadJob = {
    ...onPlatform(bench),
    connections: 64,
    eventsPerRequest: 1,
    warmUpMs: 0,
    measureMs: options.memoryMs,
  }
  const batchJob: LoadJob = {
    ...job,
    connections: 4,
    eventsPerRequest: batchSize,
    requestsPerSecond: batchesPerSecond,
  }
  try {
    const sampling = sampleMemory(platform.child.pid, stop.signal)
    const consuming = consume(platform, stop.signal)
    // A failure of one of them ends the bench; until then its rejection counts as handled.
    consuming.catch(() => stop.abort())
    const [singles, batches] = await Promise.all([runLoad(bench, job), runLoad(bench, batchJob, second)])
    stop.abort()
    const samples = await sampling
    const consumed = (await consuming) + (await drainQueue(platform))
    const acknowledged = singles.acceptedEvents + batches.acceptedEvents
    if (consumed !== acknowledged)
      bench.faults.push(`${acknowledged} events were acknowledged, but ${consumed} came out of the queue`)
    print(
      `  ${show(singles.requests / singles.measuredS)} single events/s (p99 ${show(latencyAt(singles.latencies, 0.99), 1)} ms), ` +
        `${show((batches.requests * batchSize) / batches.measuredS)} events/s in batches; acknowledged ${show(acknowledged)}, ` +
        `consumed ${show(consumed)}${already > 0 ? ` (after ${show(already)} that waited before)` : ''}`,
    )
    return memoryFindings(platform, options.memoryMs, samples, print)
  } finally {
    stop.abort()
    await second.stop()
  }
}

interface Sample {
  atMs: number
  mib: number
}

async function sampleMemory(pid: number, signal: AbortSignal): Promise<Sample[]> {
  const samples: Sample[] = []
  const startedAt = performance.now()
  while (!signal.aborted) {
    const memory = await residentMemory(pid)
    if (memory) samples.push({ atMs: performance.now() - startedAt, mib: memory.nowMiB })
    await delay(sampleMs, undefined, { signal }).catch(() => {})
  }
  return samples
}

/** Reads and removes as the interface recommends (4.5), until it is stopped. Gives the number of events. */
async function consume({ queue }: Platform, signal: AbortSignal): Promise<number> {
  let consumed = 0
  while (!signal.aborted) {
    const { count, firstId } = readFront(await queue.read())
    if (firstId === undefined) {
      await delay(250, undefined, { signal }).catch(() => {})
      continue
    }
    await removeFromFront(queue, count, firstId)
    consumed += count
  }
  return consumed
}

async function drainQueue({ queue }: Platform): Promise<number> {
  let drained = 0
  for (;;) {
    const { count, firstId } = readFront(await queue.read())
    if (firstId === undefined) return drained
    await removeFromFront(queue, count, firstId)
    drained += count
  }
}

async function memoryFindings(
  { child }: Platform,
  lengthMs: number,
  samples: readonly Sample[],
  print: Bench['print'],
): Promise<Finding[]> {
  const memory = await residentMemory(child.pid)
  if (!memory || samples.length === 0) {
    print('  skipped: this system does not tell the memory of a process in /proc')
    return []
  }
  const last = samples.filter(({ atMs }) => atMs >= lengthMs * (1 - slopeShare))
  const perMinute = slope(last.map(({ atMs, mib }) => ({ x: atMs / 60_000, y: mib })))
  const tenths = Array.from({ length: 10 }, (_, tenth) => {
    const at = samples.find(({ atMs }) => atMs >= (lengthMs * (tenth + 0.5)) / 10)
    return show(at?.mib ?? Number.NaN)
  })
  print(`  MiB over time: ${tenths.join(' ')}`)
  const peak = Math.max(...samples.map(({ mib }) => mib), memory.peakMiB)
  return [
    {
      what: `memory of the server, ${show(lengthMs / 60_000, 1)} minutes of load`,
      target: `< ${targetMiB} MiB, flat (≤ ${flatMiBPerMinute} MiB/min)`,
      seen: `peak ${show(peak)} MiB, ${show(perMinute, 1)} MiB/min over the last ${show((lengthMs * slopeShare) / 60_000, 1)} minutes`,
      ratio: '',
      rival: '',
      isMet: peak < targetMiB && perMinute <= flatMiBPerMinute,
    },
  ]
}
