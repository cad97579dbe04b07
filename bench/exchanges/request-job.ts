import type { LatencyCounts } from '../load/latencies.ts'

/** Requests that a load generator sends, each once, or again and again. */
export interface RequestJob {
  port: number
  /** Whole HTTP/1.1 requests. */
  requests: readonly string[]
  repeat?: boolean
  connections: number
  /** Under load, but not counted. */
  warmUpMs: number
  /** The longest that it is measured: it ends when the requests do. */
  measureMs: number
  /** What a good answer is like; any other is an error. */
  expected: { status: number; start: string }
}

export interface RequestResult {
  measuredS: number
  /** Answered as expected while it was measured. */
  requests: number
  latencies: LatencyCounts
  /** What went wrong and how often; empty when nothing did. */
  errors: Record<string, number>
  /** Processor time that the generator itself took while it was measured. */
  cpuS: number
  /** The body of a good answer. */
  sample?: string
}
