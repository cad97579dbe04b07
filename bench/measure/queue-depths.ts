import { setTimeout as delay } from 'node:timers/promises'
import { type Finding, show } from '../report/findings.ts'
import { quantile } from '../report/statistics.ts'
import { plainTable } from '../rivals/plain-table.ts'
import { redisList } from '../rivals/redis-list.ts'
import type { Bench } from './bench.ts'
import { type MeasuredQueue, readSize } from './measured-queue.ts'
import { platformQueue, readSample } from './platform-queue.ts'

const targetReadMs = 40
const targetReadGrowth = 1.2
const targetRemoveMs = 5
/** For what a fill left to be written. */
const restMs = 3_000

/** Times in ms at one depth. */
interface Times {
  reads: number[]
  smallRemovals: number[]
  largeRemovals: number[]
}
type AtDepth = Map<MeasuredQueue, Times>

/** GET of 10,000 and DELETE at two depths, in turn with a plain table that a Node client reads and with
 *  a Redis list, both holding the same records. */
export async function measureQueueDepths(bench: Bench): Promise<Finding[]> {
  const { options, print } = bench
  const [shallow, deep] = options.depths
  print(`\nGET of ${show(readSize)} and DELETE at depths of ${show(shallow)} and ${show(deep)}`)
  const ours = await platformQueue(bench)
  await fill(bench, ours, shallow)
  const sample = await readSample(bench)
  const plain = await plainTable(bench.rivalDatabaseUrl, sample)
  const redis = await redisList(bench.folder, sample)
  if (!redis) print('  redis-server is not installed: that rival is skipped')
  const queues = [ours, plain, ...(redis ? [redis] : [])]
  try {
    const atShallow = await measureDepth(bench, queues, shallow)
    const atDeep = await measureDepth(bench, queues, deep)
    return [
      ...readFindings(ours, queues, atShallow, atDeep, options.depths),
      ...removalFindings(ours, queues, atShallow, atDeep, options.depths),
    ]
  } finally {
    for (const queue of queues) await queue.close()
  }
}

async function fill({ print }: Bench, queue: MeasuredQueue, depth: number): Promise<void> {
  const startedAt = performance.now()
  const added = await queue.growTo(depth)
  if (added === 0) return
  const tookS = (performance.now() - startedAt) / 1000
  print(`  ${queue.name} filled to ${show(depth)}: ${show(added)} in ${show(tookS, 1)} s`)
}

async function measureDepth(bench: Bench, queues: readonly MeasuredQueue[], depth: number): Promise<AtDepth> {
  const { options, print } = bench
  const times: AtDepth = new Map(
    queues.map(queue => [queue, { reads: [], smallRemovals: [], largeRemovals: [] }]),
  )
  for (const queue of queues) await fill(bench, queue, depth)
  await delay(restMs)

  // Else the first depth would be measured with code that was not compiled yet.
  for (const queue of queues) for (let warmUp = 0; warmUp < options.warmUpReads; warmUp++) await queue.read()
  for (let read = 0; read < options.reads; read++)
    for (const [queue, { reads }] of times) reads.push(await queue.read())
  for (const [queue, { smallRemovals, largeRemovals }] of times) {
    await removeOften(queue, depth, options.removals, index => 1 + ((index * 37) % 100), smallRemovals)
    await removeOften(queue, depth, options.removals, () => readSize, largeRemovals)
  }
  for (const [queue, { reads, smallRemovals, largeRemovals }] of times)
    print(
      `  at ${show(depth)}, ${queue.name}: GET ${showTimes(reads)}; DELETE of 1 to 100 ${showTimes(smallRemovals)}, ` +
        `of ${show(readSize)} ${showTimes(largeRemovals)}`,
    )
  return times
}

/** Times removals while the depth stays within a tenth, where it can. */
async function removeOften(
  queue: MeasuredQueue,
  depth: number,
  removals: number,
  countOf: (index: number) => number,
  times: number[],
): Promise<void> {
  let removed = 0
  for (let index = 0; index < removals; index++) {
    const count = countOf(index)
    times.push(await queue.remove(count))
    removed += count
    if (removed <= depth / 10 && removed + readSize <= depth) continue
    await queue.restore()
    removed = 0
  }
  await queue.restore()
}

const showTimes = (times: readonly number[]): string =>
  `p50 ${show(quantile(times, 0.5), 1)} ms, p99 ${show(quantile(times, 0.99), 1)} ms`

function readFindings(
  ours: MeasuredQueue,
  queues: readonly MeasuredQueue[],
  atShallow: AtDepth,
  atDeep: AtDepth,
  [shallow, deep]: readonly [number, number],
): Finding[] {
  const p50 = (at: AtDepth, queue: MeasuredQueue) => quantile(at.get(queue)?.reads ?? [], 0.5)
  const rivals = queues.filter(queue => queue !== ours)
  const finding = (at: AtDepth, depth: number): Finding => {
    const seenMs = p50(at, ours)
    return {
      what: `GET of ${show(readSize)} at depth ${show(depth)}`,
      target: `p50 ≤ ${targetReadMs} ms`,
      seen: showTimes(at.get(ours)?.reads ?? []),
      ratio: rivals.map(rival => show(seenMs / p50(at, rival), 2)).join(', '),
      rival: rivals.map(rival => `${rival.name} ${showTimes(at.get(rival)?.reads ?? [])}`).join('; '),
      isMet: seenMs <= targetReadMs,
    }
  }
  const growth = p50(atDeep, ours) / p50(atShallow, ours)
  return [
    finding(atShallow, shallow),
    finding(atDeep, deep),
    {
      what: `GET: p50 at depth ${show(deep)} to that at ${show(shallow)}`,
      target: `≤ ${targetReadGrowth}`,
      seen: show(growth, 2),
      ratio: '',
      rival: rivals
        .map(rival => `${rival.name} ${show(p50(atDeep, rival) / p50(atShallow, rival), 2)}`)
        .join('; '),
      isMet: growth <= targetReadGrowth,
    },
  ]
}

function removalFindings(
  ours: MeasuredQueue,
  queues: readonly MeasuredQueue[],
  atShallow: AtDepth,
  atDeep: AtDepth,
  [shallow, deep]: readonly [number, number],
): Finding[] {
  const rivals = queues.filter(queue => queue !== ours)
  const sizes = [
    { size: '1 to 100', timesOf: ({ smallRemovals }: Times) => smallRemovals },
    { size: show(readSize), timesOf: ({ largeRemovals }: Times) => largeRemovals },
  ]
  return [
    { at: atShallow, depth: shallow },
    { at: atDeep, depth: deep },
  ].flatMap(({ at, depth }) =>
    sizes.map(({ size, timesOf }): Finding => {
      const timesAt = (queue: MeasuredQueue): readonly number[] => {
        const times = at.get(queue)
        return times ? timesOf(times) : []
      }
      const seenMs = quantile(timesAt(ours), 0.5)
      return {
        what: `DELETE of ${size} at depth ${show(depth)}`,
        target: `p50 ≤ ${targetRemoveMs} ms`,
        seen: showTimes(timesAt(ours)),
        ratio: rivals.map(rival => show(seenMs / quantile(timesAt(rival), 0.5), 2)).join(', '),
        rival: rivals.map(rival => `${rival.name} ${showTimes(timesAt(rival))}`).join('; '),
        isMet: seenMs <= targetRemoveMs,
      }
    }),
  )
}
