import { queueNames } from '@usher/contract'
import type { Database } from '../foundation/database/index.ts'
import { makePartitions } from './partitions.store.ts'

const daysAhead = 7

/** The UTC day that lies so many days after a time. */
export function dayAfter(time: Date, days: number): string {
  return new Date(time.getTime() + days * 86_400_000).toISOString().slice(0, 10)
}

/** Makes the partitions of yesterday, for clocks that differ, to a week ahead. */
export async function prepareLogs(db: Database, now: Date): Promise<void> {
  const days = Array.from({ length: daysAhead + 2 }, (_, at) => dayAfter(now, at - 1))
  for (const queue of queueNames) await makePartitions(db, queue, days)
}
