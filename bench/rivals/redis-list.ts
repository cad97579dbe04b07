import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type MeasuredQueue, readSize } from '../measure/measured-queue.ts'
import { endChild, startProgram } from '../process/children.ts'
import { connectToRedis, type RedisConnection } from './redis-connection.ts'

const key = 'queue'
/** Of one RPUSH. */
const pushSize = 1_000

/** Where another process finds the list. */
export interface RedisList extends MeasuredQueue {
  socketPath: string
  list: string
}

/** A list in a Redis of our own as a queue, without persistence; undefined where Redis is not installed. */
export async function redisList(folder: string, sample: readonly string[]): Promise<RedisList | undefined> {
  const version = await findVersion()
  if (version === undefined) return undefined
  const own = await mkdtemp(join(folder, 'redis-'))
  const socketPath = join(own, 's')
  const server = startProgram('redis-server', [
    ...['--port', '0', '--unixsocket', socketPath, '--dir', own],
    ...['--save', '', '--appendonly', 'no', '--daemonize', 'no'],
  ])
  const redis = await connectPatiently(socketPath)
  let wanted = 0
  let pushed = 0

  async function grow(): Promise<number> {
    const before = pushed
    let depth = Number(await redis.command('LLEN', key))
    while (depth < wanted) {
      const count = Math.min(pushSize, wanted - depth)
      const records = Array.from({ length: count }, () => sample[pushed++ % sample.length] ?? '')
      depth = Number(await redis.command('RPUSH', key, ...records))
    }
    return pushed - before
  }

  return {
    name: `Redis ${version}`,
    socketPath,
    list: key,
    async growTo(depth) {
      wanted = depth
      return grow()
    },
    async read() {
      const startedAt = performance.now()
      const records = await redis.command('LRANGE', key, 0, readSize - 1)
      const tookMs = performance.now() - startedAt
      if (!Array.isArray(records) || records.length !== readSize)
        throw new Error('Redis answers fewer records')
      return tookMs
    },
    async remove(count) {
      const startedAt = performance.now()
      await redis.command('LTRIM', key, count, -1)
      return performance.now() - startedAt
    },
    async restore() {
      await grow()
    },
    async close() {
      redis.close()
      await endChild(server)
    },
  }
}

async function findVersion(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('redis-server', ['--version'])
    return /v=(\S+)/.exec(stdout)?.[1] ?? ''
  } catch {
    return undefined
  }
}

async function connectPatiently(socketPath: string): Promise<RedisConnection> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connectToRedis(socketPath)
    } catch (error) {
      if (attempt === 50) throw error
      await delay(100)
    }
  }
}
