import { type Answer, FORGOTTEN } from './http-connection.ts'

/** What came back, counted: what is well, what a fault may cause, and what nothing excuses. */
export interface Answers {
  ok: number
  /** 503 with Retry-After: to be sent again. */
  unavailable: number
  /** Connections that broke or could not be made. */
  broken: number
  /** Of those that were answered. */
  slowestMs: number
  /** Everything else, each kind once. */
  wrong: Set<string>
}

export const noAnswers = (): Answers => ({
  ok: 0,
  unavailable: 0,
  broken: 0,
  slowestMs: 0,
  wrong: new Set(),
})

/** Counts an answer and says whether it is the one that was asked for. */
export function noteAnswer(
  answers: Answers,
  { status, headers, body, tookMs }: Answer,
  wanted: number,
): boolean {
  answers.slowestMs = Math.max(answers.slowestMs, tookMs)
  if (status === wanted) answers.ok++
  else if (status !== 503) answers.wrong.add(`${status} ${body.slice(0, 300)}`)
  else if (!/^[1-9]\d*$/.test(String(headers['retry-after']))) answers.wrong.add('503 without Retry-After')
  else answers.unavailable++
  return status === wanted
}

/** Counts a connection that broke before it was answered. */
export function noteBreak(answers: Answers, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  if (message === FORGOTTEN) answers.wrong.add(message)
  else answers.broken++
}
