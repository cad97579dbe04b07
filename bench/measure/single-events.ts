import { latencyAt, mergeLatencies } from '../load/latencies.ts'
import type { LoadJob, LoadResult } from '../load/load-job.ts'
import { endChild, nextMessage, startWorker } from '../process/children.ts'
import { type Finding, show } from '../report/findings.ts'
import { median } from '../report/statistics.ts'
import { type Bench, onPlatform, runLoad } from './bench.ts'
import { coresUsed, showCores } from './cores-used.ts'

const connections = 64
const targetRatio = 0.25
const targetPerS = 11_000

const perSecond = ({ requests, measuredS }: LoadResult): number => requests / measuredS

/** Requests of one event each over 64 connections, beside a bare Fastify route that parses the same
 *  body and stores nothing: in turn, several rounds, and the median of their ratios. */
export async function measureSingleEvents(bench: Bench): Promise<Finding[]> {
  const { options, print } = bench
  print(`\nSingle events, ${connections} connections, ${options.rounds} rounds in turn`)
  const bare = startWorker(new URL('../rivals/bare-route.ts', import.meta.url))
  try {
    const { port } = await nextMessage<{ port: number }>(bare, 30_000)
    const shape: Omit<LoadJob, 'port'> = {
      ...onPlatform(bench),
      connections,
      eventsPerRequest: 1,
      warmUpMs: options.warmUpMs,
      measureMs: options.roundMs,
    }
    // Once for both, so that what is compiled at first use is there.
    await runLoad(bench, { ...shape, port })
    await runLoad(bench, { ...shape, ...onPlatform(bench) })

    const bareResults: LoadResult[] = []
    const results: LoadResult[] = []
    for (let round = 1; round <= options.rounds; round++) {
      const bareResult = await runLoad(bench, { ...shape, port })
      const { result, cores } = await coresUsed(bench.platform, () =>
        runLoad(bench, { ...shape, ...onPlatform(bench) }),
      )
      bareResults.push(bareResult)
      results.push(result)
      print(
        `  ${round}: bare ${show(perSecond(bareResult))}/s (load generator ${show(bareResult.cpuS / bareResult.measuredS, 2)} cores), ` +
          `platform ${show(perSecond(result))}/s, ratio ${show(perSecond(result) / perSecond(bareResult), 3)}; ` +
          showCores(cores, result.cpuS / result.measuredS),
      )
    }
    const ratio = median(
      results.map((result, round) => perSecond(result) / perSecond(bareResults[round] ?? result)),
    )
    const rate = median(results.map(perSecond))
    const latencies = mergeLatencies(results.map(result => result.latencies))
    const bareLatencies = mergeLatencies(bareResults.map(result => result.latencies))
    const showLatencies = (of: typeof latencies) =>
      `p50 ${show(latencyAt(of, 0.5), 1)} ms, p99 ${show(latencyAt(of, 0.99), 1)} ms`
    return [
      {
        what: `single-event requests, ${connections} connections`,
        target: `≥ ${show(targetPerS)}/s and ≥ ${targetRatio}`,
        seen: `${show(rate)}/s, ${showLatencies(latencies)}`,
        ratio: show(ratio, 2),
        rival: `bare Fastify route ${show(median(bareResults.map(perSecond)))}/s, ${showLatencies(bareLatencies)}`,
        isMet: rate >= targetPerS && ratio >= targetRatio,
      },
    ]
  } finally {
    await endChild(bare)
  }
}
