import type { QueueName } from '@usher/contract'

/** The log under each queue. */
export const logTables: Record<QueueName, string> = { events: 'event_log', heartbeats: 'heartbeat_log' }
