import type { QueueName } from '@usher/contract'
import type { Registry } from 'prom-client'
import type { Database, OpenDatabase } from '../foundation/database/index.ts'
import { appendToLog } from './log.store.ts'
import { createLogWriter, type LogWriter } from './log-writer.ts'
import { prepareLogs } from './prepare-logs.ts'
import { createWriterMetrics } from './writer-metrics.ts'

export type EventWriters = Record<QueueName, LogWriter>

export interface EventWritersOptions {
  /** A pool of the writers' own, so that no other work takes their connections. */
  connections: OpenDatabase
  db: Database
  registry: Registry
  onFault(queue: QueueName, error: unknown): void
}

/** A writer for each log. */
export function createEventWriters({
  connections,
  db,
  registry,
  onFault,
}: EventWritersOptions): EventWriters {
  const metrics = createWriterMetrics(registry)
  const create = (queue: QueueName): LogWriter =>
    createLogWriter({
      append: appendToLog(connections.pool, queue),
      makePartitions: () => prepareLogs(db, new Date()),
      onCommit: (events, durationS) => metrics.onCommit(queue, events, durationS),
      onFault: error => onFault(queue, error),
    })
  const writers = { events: create('events'), heartbeats: create('heartbeats') }
  metrics.watch(writers)
  return writers
}
