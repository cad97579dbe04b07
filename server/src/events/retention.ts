import type { QueueName } from '@usher/contract'

/** How long a tenant's events are kept, in days. */
export interface Retention {
  /** In the log of events. */
  retentionDays: number
  /** Unread in a queue; heartbeats also in their log. */
  queueRetentionDays: number
}

/** Days that a log keeps. */
export function logDays({ retentionDays, queueRetentionDays }: Retention, queue: QueueName): number {
  return queue === 'events' ? retentionDays : queueRetentionDays
}

/** Days that a queue keeps what nobody read: at most those of its log. */
export function queueDays(retention: Retention, queue: QueueName): number {
  return Math.min(retention.queueRetentionDays, logDays(retention, queue))
}
