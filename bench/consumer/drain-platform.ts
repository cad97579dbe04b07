import { consume } from '@usher/consumer'
import type { Drain } from './drain-job.ts'

/** As a user of the library does it. */
export const drainPlatform: Drain<'platform'> = async ({ url, key, batch }, begin) => {
  let events = 0
  begin()
  for await (const { count } of consume({ url, key, limit: batch, untilEmpty: true })) events += count
  return events
}
