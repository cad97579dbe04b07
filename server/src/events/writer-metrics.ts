import { type QueueName, queueNames } from '@usher/contract'
import { Gauge, Histogram, type Registry } from 'prom-client'
import type { LogWriter } from './log-writer.ts'

/** Counts what the writers commit; a batch is one observation, whatever its size. */
export interface WriterMetrics {
  onCommit(queue: QueueName, events: number, durationS: number): void
  /** Reads the waiting bytes from the writers when they are asked for. */
  watch(writers: Record<QueueName, LogWriter>): void
}

export function createWriterMetrics(registry: Registry): WriterMetrics {
  const registers = [registry]
  const labelNames = ['queue'] as const
  const size = new Histogram({
    name: 'usher_commit_events',
    help: 'Events in one commit of the log.',
    labelNames,
    registers,
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000],
  })
  const duration = new Histogram({
    name: 'usher_commit_duration_seconds',
    help: 'Time from sending a batch to the log to its commit.',
    labelNames,
    registers,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  })
  return {
    onCommit(queue, events, durationS) {
      size.observe({ queue }, events)
      duration.observe({ queue }, durationS)
    },
    watch(writers) {
      new Gauge({
        name: 'usher_waiting_bytes',
        help: 'Bytes of events that wait for their commit.',
        labelNames,
        registers,
        collect() {
          for (const queue of queueNames) this.set({ queue }, writers[queue].waitingBytes())
        },
      })
    },
  }
}
