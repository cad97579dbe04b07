/** Thrown by `withDeadline` when the time is up. */
export class DeadlineExceeded extends Error {
  readonly timeoutMs: number

  constructor(what: string, timeoutMs: number) {
    super(`${what} did not answer within ${timeoutMs} ms.`)
    this.name = 'DeadlineExceeded'
    this.timeoutMs = timeoutMs
  }
}

/** Waits for `run` at most `timeoutMs`, then throws DeadlineExceeded and aborts the signal that `run` got.
 *  What `run` does after that is its own affair: its result is dropped, its failure is not unhandled. */
export async function withDeadline<T>(
  timeoutMs: number,
  what: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const expired = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new DeadlineExceeded(what, timeoutMs)
    expired.reject(error)
    controller.abort(error)
  }, timeoutMs)
  try {
    // The loser of a race is still handled by it, so a late failure of `run` is not an unhandled rejection.
    return await Promise.race([run(controller.signal), expired.promise])
  } finally {
    clearTimeout(timer)
  }
}
