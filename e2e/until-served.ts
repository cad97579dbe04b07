import '../examples/localhost-names.mjs'
import { until } from './sdk/until.ts'

/** Waits until a host of a platform that has just started is served: on a busy machine its first look-ups take longer than it
 *  gives them, and are 503, also to a browser that wants a script. */
export const untilServed = (port: number, host: string): Promise<void> =>
  until(
    `a script of ${host}`,
    async () => {
      const signal = AbortSignal.timeout(20_000)
      const answer = await fetch(`http://${host}:${port}/sdk.js`, { signal })
      await answer.text()
      return answer.status === 200
    },
    45_000,
  )
