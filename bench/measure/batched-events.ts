import { latencyAt, mergeLatencies } from '../load/latencies.ts'
import type { LoadJob, LoadResult } from '../load/load-job.ts'
import { type Child, endChild, nextMessage, startWorker } from '../process/children.ts'
import { type Finding, show } from '../report/findings.ts'
import { median } from '../report/statistics.ts'
import type { RawInsertJob } from '../rivals/raw-log.ts'
import { type Bench, onPlatform, runLoad } from './bench.ts'
import { coresUsed, showCores } from './cores-used.ts'

const eventsPerRequest = 50
const connections = 64
const targetRatio = 0.4
const targetPerS = 45_000
const rawRows = 500

const eventsPerSecond = ({ requests, measuredS }: LoadResult): number =>
  (requests * eventsPerRequest) / measuredS

/** Requests of 50 events each, beside a script that puts the same rows into the same PostgreSQL by
 *  grouped inserts of 500 rows, and of 50: in turn, several rounds, and the median of their ratios. */
export async function measureBatchedEvents(bench: Bench): Promise<Finding[]> {
  const { options, print } = bench
  print(
    `\nBatches of ${eventsPerRequest} events, ${connections} connections, ${options.rounds} rounds in turn`,
  )
  const script = startWorker(new URL('../rivals/raw-inserts.ts', import.meta.url))
  try {
    await nextMessage(script, 30_000)
    const lengths = { warmUpMs: options.warmUpMs, measureMs: options.roundMs }
    const job: LoadJob = { ...onPlatform(bench), ...lengths, connections, eventsPerRequest }
    const raw = (rowsPerStatement: number): Promise<number> =>
      insertRaw(bench, script, { ...lengths, rowsPerStatement })
    await raw(rawRows)
    await runLoad(bench, job)

    const results: LoadResult[] = []
    const rates: { raw500: number; raw50: number; platform: number }[] = []
    for (let round = 1; round <= options.rounds; round++) {
      const { result: raw500, cores: rawCores } = await coresUsed(bench.platform, () => raw(rawRows))
      const { result, cores } = await coresUsed(bench.platform, () => runLoad(bench, job))
      const raw50 = await raw(eventsPerRequest)
      const platform = eventsPerSecond(result)
      results.push(result)
      rates.push({ raw500, raw50, platform })
      print(
        `  ${round}: raw ${show(raw500)} rows/s (PostgreSQL ${show(rawCores.postgres, 2)} cores; of ${eventsPerRequest} rows each ${show(raw50)}/s), ` +
          `platform ${show(platform)} events/s, ratio ${show(platform / raw500, 3)}; ` +
          showCores(cores, result.cpuS / result.measuredS),
      )
    }
    const ratio = median(rates.map(({ platform, raw500 }) => platform / raw500))
    const rate = median(rates.map(({ platform }) => platform))
    const latencies = mergeLatencies(results.map(result => result.latencies))
    return [
      {
        what: `batches of ${eventsPerRequest} events, ${connections} connections`,
        target: `≥ ${show(targetPerS)} events/s and ≥ ${targetRatio}`,
        seen: `${show(rate)} events/s, p50 ${show(latencyAt(latencies, 0.5), 1)} ms, p99 ${show(latencyAt(latencies, 0.99), 1)} ms`,
        ratio: show(ratio, 2),
        rival:
          `raw grouped inserts of ${rawRows} rows ${show(median(rates.map(({ raw500 }) => raw500)))} rows/s ` +
          `(of ${eventsPerRequest} rows ${show(median(rates.map(({ raw50 }) => raw50)))})`,
        isMet: rate >= targetPerS && ratio >= targetRatio,
      },
    ]
  } finally {
    await endChild(script)
  }
}

async function insertRaw(bench: Bench, script: Child, job: RawInsertJob): Promise<number> {
  script.process.send({ ...job, databaseUrl: bench.rivalDatabaseUrl })
  const answer = await nextMessage<{ result: { rows: number; measuredS: number } } | { error: string }>(
    script,
    job.warmUpMs + job.measureMs + 30_000,
  )
  if ('error' in answer) throw new Error(`the raw inserts failed: ${answer.error}`)
  return answer.result.rows / answer.result.measuredS
}
