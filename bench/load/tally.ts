import { countLatency, type LatencyCounts, noLatencies } from './latencies.ts'
import type { Answer } from './response-reader.ts'

/** What a job has seen so far. */
export interface Tally {
  /** While true, answers count into the rate and the latencies. */
  isMeasuring: boolean
  measured: number
  accepted: number
  latencies: LatencyCounts
  errors: Record<string, number>
  note(error: string): void
  count(answer: Answer, latencyMs: number): void
}

/** Good is a 2xx that says that every event of the request was accepted; all else is an error. */
export function createTally(eventsPerRequest: number): Tally {
  const accepted = `{"accepted":${eventsPerRequest},"duplicates":0,"rejected":[]`
  const tally: Tally = {
    isMeasuring: false,
    measured: 0,
    accepted: 0,
    latencies: noLatencies(),
    errors: {},
    note(error) {
      tally.errors[error] = (tally.errors[error] ?? 0) + 1
    },
    count({ status, body }, latencyMs) {
      if (status < 200 || status > 299) tally.note(`status ${status}`)
      else if (!body.startsWith(accepted)) tally.note(`status ${status}, but not every event was accepted`)
      else {
        tally.accepted++
        if (!tally.isMeasuring) return
        tally.measured++
        countLatency(tally.latencies, latencyMs)
      }
    },
  }
  return tally
}
