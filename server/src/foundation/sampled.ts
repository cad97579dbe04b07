/** Tells of the first of what it is given, and then of at most one in `quietMs`, with the number of those left out in
 *  between: an outage meets every request and every poll, and a line for each would fill the log. */
export function sampled<T>(
  tell: (what: T, leftOut: number) => void,
  quietMs: number,
  nowMs: () => number = Date.now,
): (what: T) => void {
  let quietUntilMs = Number.NEGATIVE_INFINITY
  let leftOut = 0
  return what => {
    const now = nowMs()
    if (now < quietUntilMs) {
      leftOut++
      return
    }
    quietUntilMs = now + quietMs
    tell(what, leftOut)
    leftOut = 0
  }
}
