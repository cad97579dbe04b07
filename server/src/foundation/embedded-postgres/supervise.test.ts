import { expect, test } from 'vitest'
import type { Postmaster } from './postmaster.ts'
import { supervise } from './supervise.ts'

/** The pauses, in milliseconds, before the starts of servers of which each answers for so long and then dies. */
async function pausesBetween(livesMs: readonly number[]): Promise<number[]> {
  let nowMs = 0
  const pauses: number[] = []
  let lives = 0
  const over = Promise.withResolvers<void>()

  const server = (): Postmaster => {
    const lifeMs = livesMs[lives++]
    if (lifeMs === undefined) over.resolve()
    return {
      pid: lives,
      isRunning: async () => true,
      ended:
        lifeMs === undefined
          ? new Promise(() => {})
          : new Promise(resolve =>
              setImmediate(() => {
                nowMs += lifeMs
                resolve('SIGKILL')
              }),
            ),
    }
  }
  const supervised = supervise({
    first: server(),
    start: async () => server(),
    limitLog: async () => {},
    log: () => {},
    clock: {
      nowMs: () => nowMs,
      async pause(ms) {
        pauses.push(ms)
        nowMs += ms
      },
    },
  })
  await over.promise
  await supervised.release()
  return pauses
}

test.for([
  [
    'grow to 10 s while it dies of its start',
    Array(10).fill(50),
    [100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000, 10000],
  ],
  ['stay short where it answered for a while each time', Array(10).fill(5_000), Array(10).fill(100)],
  ['begin anew after it has answered for a while', [50, 50, 50, 5_000, 50], [100, 200, 400, 100, 200]],
] as const)('the pauses before the next start %s', async ([, livesMs, pauses]) => {
  expect(await pausesBetween(livesMs)).toEqual(pauses)
})
