import { readAnswer } from './read-answer.ts'

/** Between two looks of the gauge at the loop: what it shows of a loop that is never held. */
const resolutionMs = 10

/** The longest that the server's event loop was held since this was asked before, in ms; the server measures it itself and
 *  tells it in its metrics. Time in which the process had no core counts too. */
export async function longestHoldMs(metricsPort: number): Promise<number> {
  const metrics = await readAnswer(metricsPort, '/metrics')
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds ([\d.e-]+)$/m.exec(metrics) ?? []
  if (seconds === undefined) throw new Error('the metrics do not say how long the event loop was held')
  return Math.max(0, Number(seconds) * 1_000 - resolutionMs)
}
