/** Remembers what came to an end, for as long as somebody may still believe that it goes on. */
export function endedLately(rememberMs: number, nowMs: () => number) {
  // In the order of their times.
  const ended = new Map<string, number>()
  return {
    add(id: string): void {
      const now = nowMs()
      for (const [old, at] of ended) {
        if (now - at < rememberMs) break
        ended.delete(old)
      }
      ended.delete(id)
      ended.set(id, now)
    },
    has: (id: string): boolean => ended.has(id),
    /** How many are remembered. */
    size: (): number => ended.size,
  }
}
