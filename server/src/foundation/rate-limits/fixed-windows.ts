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

/** Counts keys in windows of a fixed length, in the memory of this process: at once, and without a timer. Beyond
 *  `maxKeys` the oldest windows are forgotten. */
export function fixedWindows({
  windowMs,
  maxKeys,
  nowMs,
}: {
  windowMs: number
  maxKeys: number
  nowMs(): number
}): FixedWindows {
  // In the order of their beginnings, which is nearly that of their ends.
  const windows = new Map<string, Window>()

  function forgetOld(now: number): void {
    // More than come: so those that ended are gone in the end.
    let left = 2
    for (const [key, { endsAtMs }] of windows) {
      if (left-- === 0 || (endsAtMs > now && windows.size < maxKeys)) return
      windows.delete(key)
    }
  }

  function find(key: string, now: number): Window | undefined {
    const window = windows.get(key)
    return window !== undefined && window.endsAtMs > now ? window : undefined
  }

  function begin(key: string, window: Window, now: number): void {
    windows.delete(key)
    forgetOld(now)
    windows.set(key, window)
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
