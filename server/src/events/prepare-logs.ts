import { queueNames } from '@usher/contract'
import type { Database } from '../foundation/database/index.ts'
import { listTailDaysFrom, makePartitions } from './partitions.store.ts'

const daysAhead = 7

/** The UTC day that lies so many days after a time. */
export function dayAfter(time: Date, days: number): string {
  return new Date(time.getTime() + days * 86_400_000).toISOString().slice(0, 10)
}

/** Makes the partitions of yesterday, for clocks that differ, to a week ahead, and of later days on which a queue's tail
 *  stands: a clock that was wrong brought it there, and its tenant's events go to that day until the clock is past it. */
export async function prepareLogs(db: Database, now: Date): Promise<void> {
  const days = Array.from({ length: daysAhead + 2 }, (_, at) => dayAfter(now, at - 1))
  for (const queue of queueNames) {
    const tailDays = await listTailDaysFrom(db, queue, dayAfter(now, daysAhead + 1))
    await makePartitions(db, queue, [...days, ...tailDays])
  }
}
