import type { LatencyCounts } from './latencies.ts'

/** What the load generator is asked to do. It stops by itself: after a time or after a number of requests. */
export interface LoadJob {
  port: number
  /** The Host header, without the port: it names the tenant. */
  host: string
  path: string
  connections: number
  eventsPerRequest: number
  /** Under load, but not counted into the rate and the latencies. */
  warmUpMs: number
  /** How long it is measured; with `requests` the longest that it may take. */
  measureMs: number
  /** Ends after so many requests. */
  requests?: number
  /** At most so many requests a second; without it each connection sends as soon as it was answered. */
  requestsPerSecond?: number
}

/** What it saw. */
export interface LoadResult {
  measuredS: number
  /** Answered with 2xx while it was measured. */
  requests: number
  /** Answered as accepted over the whole job, its warm-up included. */
  acceptedEvents: number
  latencies: LatencyCounts
  /** What went wrong and how often; empty when nothing did. */
  errors: Record<string, number>
  /** Processor time that the generator itself took while it was measured. */
  cpuS: number
  bytesPerRequest: number
}
