import { sampled } from '../foundation/sampled.ts'

/** The part of a logger that this room uses; pino's fits. */
export interface JobsLog {
  debug(details: object, message: string): void
  warn(details: object, message: string): void
}

/** pg-boss hands on plain objects with the fields of an error, which a logger would not know as one. */
function asError(fault: unknown): Error {
  if (fault instanceof Error) return fault
  const fields = typeof fault === 'object' && fault !== null ? fault : { message: String(fault) }
  return Object.assign(new Error(), fields)
}

const quietMs = 10_000

/** Logs faults of the machinery, such as a poll while the database is away, without a line for each of them. */
export function faultLog(log: JobsLog): (fault: unknown) => void {
  return sampled(
    (fault, leftOut) => log.warn({ err: asError(fault), leftOut }, 'background jobs met a fault'),
    quietMs,
  )
}
