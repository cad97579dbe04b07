/** How often a key was counted in the window that it is in. */
export interface Window {
  count: number
  /** On the clock that the windows were made with, in milliseconds. */
  endsAtMs: number
}

export interface FixedWindows {
  /** Counts a key once. Its first count begins its window. */
  count(key: string): Window
  /** The window that a key is in, if it is in one. */
  find(key: string): Window | undefined
  /** Takes over a window that was counted elsewhere. */
  put(key: string, window: Window): void
}

/** Counts keys in windows of a fixed length, in the memory of this process: at once, and without a timer. Of more than
 *  `maxKeys` the oldest half is forgotten. */
export function fixedWindows({
  windowMs,
  maxKeys,
  nowMs,
}: {
  windowMs: number
  maxKeys: number
  nowMs(): number
}): FixedWindows {
  // Two generations, each as long as a window: when a third begins, all of the first have ended, and go as one. To take
  // keys out of one map one by one costs up to 150 µs a count, as each look for its oldest passes those taken out.
  let young = new Map<string, Window>()
  let old = new Map<string, Window>()
  let youngSinceMs = nowMs()

  function find(key: string, now: number): Window | undefined {
    const window = young.get(key) ?? old.get(key)
    return window !== undefined && window.endsAtMs > now ? window : undefined
  }

  function begin(key: string, window: Window, now: number): void {
    if (now - youngSinceMs >= windowMs || young.size >= maxKeys / 2) {
      old = young
      young = new Map()
      youngSinceMs = now
    }
    young.set(key, window)
  }

  return {
    count(key) {
      const now = nowMs()
      const known = find(key, now)
      if (known) {
        known.count++
        return known
      }
      const window = { count: 1, endsAtMs: now + windowMs }
      begin(key, window, now)
      return window
    },
    find: key => find(key, nowMs()),
    put(key, window) {
      const now = nowMs()
      const known = find(key, now)
      if (known) Object.assign(known, window)
      else begin(key, { ...window }, now)
    },
  }
}
