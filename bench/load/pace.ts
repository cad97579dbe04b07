const intervalMs = 10

/** Holds requests back so that no more than so many go each second. */
export interface Pace {
  /** True when a request may go now; otherwise `resume` is called when it may ask again. */
  mayGo(resume: () => void): boolean
  stop(): void
}

/** Without `perSecond` nothing is held back. What is not used for lack of a free connection is not made
 *  up for later, beyond `maxBurst` requests. */
export function createPace(perSecond: number | undefined, maxBurst: number): Pace {
  if (perSecond === undefined) return { mayGo: () => true, stop: () => {} }
  let allowance = 0
  let held: (() => void)[] = []
  const timer = setInterval(() => {
    allowance = Math.min(allowance, maxBurst) + (perSecond * intervalMs) / 1000
    const resuming = held
    held = []
    for (const resume of resuming) resume()
  }, intervalMs)
  return {
    mayGo(resume) {
      if (allowance < 1) {
        held.push(resume)
        return false
      }
      allowance--
      return true
    },
    stop: () => clearInterval(timer),
  }
}
