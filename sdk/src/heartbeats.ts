/** A heartbeat stands for this much attention. */
const HEARTBEAT_MS = 30_000

/**
 * Counts the time that a page has a reader's attention, over interruptions, and calls `beat` each time
 * it comes to another 30 seconds. The answer tells it whether the page has attention.
 */
export function countAttention(options: {
  now: () => number
  schedule: (task: () => void, delayMs: number) => () => void
  beat: () => void
}): (attentive: boolean) => void {
  const { now, schedule, beat } = options
  let leftMs = HEARTBEAT_MS
  let sinceMs: number | undefined
  let cancel = () => {}
  const run = () => {
    sinceMs = now()
    cancel = schedule(() => {
      leftMs = HEARTBEAT_MS
      beat()
      run()
    }, leftMs)
  }
  return attentive => {
    if (attentive === (sinceMs !== undefined)) return
    if (sinceMs === undefined) return run()
    leftMs = Math.max(0, leftMs - (now() - sinceMs))
    sinceMs = undefined
    cancel()
  }
}
