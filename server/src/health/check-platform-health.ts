import type { PlatformHealth } from '@usher/contract'
import { withDeadline } from '../foundation/deadline.ts'

export interface PlatformCheck {
  report: PlatformHealth
  /** What kept an answer from being given, for the log. */
  faults: unknown[]
}

export interface PlatformQuestions {
  countPending(): Promise<Record<string, number>>
  countFailed(): Promise<number>
}

/** The report when the backend did not answer (interface 2.3). */
export const degradedPlatform: PlatformHealth = {
  status: 'degraded',
  queue: { reachable: false },
  queues: {},
  failed_jobs: null,
}

/** Asks the backend of the background queues, at most `timeoutMs`; the failed jobs are counted beside it and
 *  left out, as null, when that alone fails or takes longer than `failedTimeoutMs` (interface 2.3; decisions,
 *  "Health"). Never throws. */
export async function checkPlatformHealth(
  ask: PlatformQuestions,
  { timeoutMs, failedTimeoutMs }: { timeoutMs: number; failedTimeoutMs: number },
): Promise<PlatformCheck> {
  const [pending, failed] = await Promise.allSettled([
    withDeadline(timeoutMs, 'The background queues', ask.countPending),
    withDeadline(failedTimeoutMs, 'The count of failed jobs', ask.countFailed),
  ])
  const faults = [pending, failed].flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
  if (pending.status === 'rejected') return { report: degradedPlatform, faults }
  const queues = Object.entries(pending.value).map(([name, count]) => [name, { pending: count }])
  const report: PlatformHealth = {
    status: 'ok',
    queue: { reachable: true },
    queues: Object.fromEntries(queues),
    failed_jobs: failed.status === 'fulfilled' ? failed.value : null,
  }
  return { report, faults }
}
