/** Events of one tenant and one queue that belong to one request. */
export interface Submission {
  tenantId: string
  /** As toIso writes it, so that later is greater as text. */
  receivedAt: string
  ids: readonly string[]
  records: readonly string[]
}

/** What became of a submission, by the indices of its arrays; the others are stored. */
export interface SubmissionResult {
  duplicates: readonly number[]
  /** Refused by PostgreSQL itself, each for its own sake. */
  refused: readonly number[]
}

/** A submission that waits for its commit, or for its deadline. */
export interface Waiting extends Submission {
  readonly bytes: number
  readonly deadlineAtMs: number
  settled: boolean
  resolve(result: SubmissionResult): void
  reject(error: unknown): void
}

/** Answers a submission, once: what comes after its deadline is too late. */
export function settle(waiting: Waiting, result: SubmissionResult): void {
  if (waiting.settled) return
  waiting.settled = true
  waiting.resolve(result)
}

export function fail(waiting: Waiting, error: unknown): void {
  if (waiting.settled) return
  waiting.settled = true
  waiting.reject(error)
}
