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

/** Logs faults of the machinery, such as a poll while the database is away: the first one, then at most one
 *  in `quietMs` with the number that were left out. Every worker polls, so an outage would fill the log. */
export function faultLog(
  log: JobsLog,
  quietMs = 10_000,
  nowMs: () => number = Date.now,
): (fault: unknown) => void {
  let quietUntilMs = 0
  let leftOut = 0
  return fault => {
    const now = nowMs()
    if (now < quietUntilMs) {
      leftOut++
      return
    }
    log.warn({ err: asError(fault), leftOut }, 'background jobs met a fault')
    quietUntilMs = now + quietMs
    leftOut = 0
  }
}
