import type { QueueName } from '@usher/contract'
import type { Database, OpenDatabase } from '../foundation/database/index.ts'
import { appendToLog } from './log.store.ts'
import { createLogWriter, type LogWriter } from './log-writer.ts'
import { prepareLogs } from './prepare-logs.ts'

export type EventWriters = Record<QueueName, LogWriter>

export interface EventWritersOptions {
  /** A pool of the writers' own, so that no other work takes their connections. */
  connections: OpenDatabase
  db: Database
  onCommit(queue: QueueName, events: number, durationS: number): void
  onFault(queue: QueueName, error: unknown): void
}

/** A writer for each log. */
export function createEventWriters({
  connections,
  db,
  onCommit,
  onFault,
}: EventWritersOptions): EventWriters {
  const create = (queue: QueueName): LogWriter =>
    createLogWriter({
      append: appendToLog(connections.pool, queue),
      makePartitions: () => prepareLogs(db, new Date()),
      onCommit: (events, durationS) => onCommit(queue, events, durationS),
      onFault: error => onFault(queue, error),
    })
  return { events: create('events'), heartbeats: create('heartbeats') }
}
