import type { DrainJob, DrainResult } from '../consumer/drain-job.ts'
import { type Child, endChild, nextMessage, startWorker } from '../process/children.ts'
import { type Finding, show } from '../report/findings.ts'
import { median } from '../report/statistics.ts'
import { redisList } from '../rivals/redis-list.ts'
import type { Bench } from './bench.ts'
import { coresUsed } from './cores-used.ts'
import { readSize } from './measured-queue.ts'
import { platformQueue, readSample } from './platform-queue.ts'

const targetPerS = 120_000
const drainTimeoutMs = 15 * 60_000

/** Events a second of a round. */
interface Round {
  platform: number
  redis: number
  redisUnparsed: number
}

/** Empties the queue with our library in batches of 10,000, in turn with a Redis list that is read and trimmed, and once beside
 *  pg-boss, which fetches and completes some of the same items. Each consumer is a process of its own. */
export async function measureConsumer(bench: Bench): Promise<Finding[]> {
  const { options, print, platform } = bench
  const events = options.consumedEvents
  print(`\nConsumers of ${show(events)} events in batches of ${show(readSize)}`)
  const ours = await platformQueue(bench)
  await ours.growTo(events)
  const sample = await readSample(bench)
  const redis = await redisList(bench.folder, sample)
  if (!redis) print('  redis-server is not installed: that rival is skipped')
  const consumer = startWorker(new URL('../consumer/drain.ts', import.meta.url))
  try {
    await nextMessage(consumer, 30_000)
    const url = `http://${platform.tenant.domain}:${platform.port}`
    const drain = (job: DrainJob, count = events) => drainWith(consumer, count, job)
    const drainRedis = async (parse: boolean) => {
      if (!redis) return Number.NaN
      await redis.growTo(events)
      const { socketPath, list } = redis
      return perSecond(await drain({ from: 'redis', batch: readSize, socketPath, list, parse }))
    }

    const rounds: Round[] = []
    for (let round = 1; round <= options.consumerRounds; round++) {
      const { result, cores } = await coresUsed(platform, () =>
        drain({ from: 'platform', batch: readSize, url, key: platform.tenant.consumerToken }),
      )
      await ours.restore()
      const redisUnparsed = await drainRedis(false)
      const figures = { platform: perSecond(result), redis: await drainRedis(true), redisUnparsed }
      rounds.push(figures)
      print(
        `  ${round}: platform ${show(figures.platform)}/s (the consumer's process ${show(result.cpuS / result.tookS, 2)} cores and at most ` +
          `${show(result.peakMiB)} MiB, server ${show(cores.server, 2)}, PostgreSQL ${show(cores.postgres, 2)}), Redis list ${show(figures.redis)}/s, ` +
          `unparsed ${show(redisUnparsed)}/s, ratio ${show(figures.platform / figures.redis, 2)}`,
      )
    }
    const databaseUrl = bench.rivalDatabaseUrl
    const fewer = options.bossEvents
    const boss = perSecond(
      await drain({ from: 'pg-boss', batch: readSize, databaseUrl, sample, events: fewer }, fewer),
    )
    print(`  pg-boss ${show(boss)}/s (of ${show(fewer)} items)`)

    const rate = median(rounds.map(({ platform }) => platform))
    const toRedis = median(rounds.map(({ platform, redis }) => platform / redis))
    return [
      {
        what: `consumer: ${show(events)} events read, parsed and removed in batches of ${show(readSize)}`,
        target: `≥ ${show(targetPerS)} events/s`,
        seen: `${show(rate)} events/s`,
        ratio: `${show(toRedis, 2)} (Redis), ${show(rate / boss, 1)} (pg-boss)`,
        rival:
          `Redis list ${show(median(rounds.map(({ redis }) => redis)))}/s (unparsed ` +
          `${show(median(rounds.map(({ redisUnparsed }) => redisUnparsed)))}/s), pg-boss ${show(boss)}/s (of ${show(fewer)} items)`,
        isMet: rate >= targetPerS,
      },
    ]
  } finally {
    await endChild(consumer)
    await redis?.close()
    await ours.close()
  }
}

const perSecond = ({ events, tookS }: DrainResult): number => events / tookS

async function drainWith(consumer: Child, events: number, job: DrainJob): Promise<DrainResult> {
  consumer.process.send(job)
  const answer = await nextMessage<{ result: DrainResult } | { error: string }>(consumer, drainTimeoutMs)
  if ('error' in answer) throw new Error(`the consumer of ${job.from} failed: ${answer.error}`)
  if (answer.result.events !== events)
    throw new Error(`the consumer of ${job.from} got ${answer.result.events} events out, not ${events}`)
  return answer.result
}
