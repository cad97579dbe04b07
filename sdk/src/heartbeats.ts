/** A heartbeat stands for at most this much attention. */
const HEARTBEAT_MS = 30_000

/**
 * Counts the time that a page has a reader's attention, over interruptions, and calls `beat` with the whole
 * seconds of it each time it comes to another 30, and with what there is when it is told to.
 */
export function countAttention(options: {
  now: () => number
  schedule: (task: () => void, delayMs: number) => () => void
  beat: (seconds: number) => void
}) {
  const { now, schedule, beat } = options
  let countedMs = 0
  let sinceMs: number | undefined
  let cancel = () => {}

  const count = () => {
    if (sinceMs === undefined) return
    // A timer that comes late, as after the computer's sleep, does not count what it came late by.
    countedMs = Math.min(Math.max(countedMs, countedMs + now() - sinceMs), HEARTBEAT_MS)
    sinceMs = now()
  }
  const run = () => {
    cancel()
    cancel = schedule(tell, HEARTBEAT_MS - countedMs)
  }
  const tell = () => {
    count()
    const seconds = Math.floor(countedMs / 1000)
    countedMs -= seconds * 1000
    if (seconds > 0) beat(seconds)
    if (sinceMs !== undefined) run()
  }

  return {
    /** Whether the page has attention, from now on. */
    set(attentive: boolean): void {
      if (attentive === (sinceMs !== undefined)) return
      count()
      cancel()
      sinceMs = attentive ? now() : undefined
      if (attentive) run()
    },

    /** The page goes, or shows another address: what was counted is told of now. */
    tell,
  }
}
