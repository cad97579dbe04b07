import { DeadlineExceeded, withDeadline } from '../foundation/deadline.ts'
import { unavailable } from '../foundation/http/index.ts'

/** What a request to a queue waits for the database at most; with the check of its key, under five seconds. */
const deadlineMs = 4_000

/** Gives a request to a queue its deadline (architecture, "Failure"): throws 503 when the database hangs. What
 *  `run` still does then must change nothing any more, which the signal tells it. */
export async function withQueueDeadline<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await withDeadline(deadlineMs, 'The database', run)
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error
    throw unavailable('The database does not answer. Try again shortly.', error)
  }
}
