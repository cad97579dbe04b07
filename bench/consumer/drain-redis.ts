import { Redis } from 'ioredis'
import type { Drain } from './drain-job.ts'

/** A list that is read and trimmed. */
export const drainRedis: Drain<'redis'> = async ({ socketPath, list, batch, parse }, begin) => {
  const redis = new Redis({ path: socketPath })
  try {
    await redis.ping()
    let events = 0
    begin()
    for (;;) {
      const records = await redis.lrange(list, 0, batch - 1)
      if (records.length === 0) return events
      if (parse) for (const record of records) events += typeof JSON.parse(record) === 'object' ? 1 : 0
      else events += records.length
      await redis.ltrim(list, records.length, -1)
    }
  } finally {
    redis.disconnect()
  }
}
