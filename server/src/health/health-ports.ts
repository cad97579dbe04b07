import type { Database } from '../foundation/database/index.ts'

/** A tenant's queue as the events room tells it. */
export interface QueueState {
  tenantId: string
  queue: 'events' | 'heartbeats'
  depth: number
  /** Whole seconds; null when nothing waits. */
  oldestAgeS: number | null
  headPosition: number
}

/** The queues of a tenant, or of everybody. */
export type ReadQueueStates = (db: Database, tenantId?: string) => Promise<QueueState[]>

/** Asks the database something and gives the answer, or throws. What the health reports are made of; each gets
 *  the connections that are kept for health alone. */
export interface HealthPorts {
  readQueueStates: ReadQueueStates
  /** Waiting jobs by queue, for each configured queue, in the order of urgency. */
  countPending(db: Database): Promise<Record<string, number>>
  /** Jobs of all queues that failed in the last 7 days. */
  countFailed(db: Database): Promise<number>
}
