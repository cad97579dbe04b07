/** A clock that a test moves by hand: `advance` runs what falls due on the way, in order. */
export function createClock(startMs = Date.UTC(2026, 0, 5, 12)) {
  let nowMs = startMs
  let tasks: { atMs: number; run: () => void }[] = []
  return {
    now: () => nowMs,
    schedule(run: () => void, delayMs: number): () => void {
      const task = { atMs: nowMs + delayMs, run }
      tasks.push(task)
      return () => {
        tasks = tasks.filter(other => other !== task)
      }
    },
    /** Sets the clock without running anything, as when a computer sleeps or its clock is put right. */
    set(ms: number): void {
      nowMs = ms
    },
    advance(byMs: number): void {
      const untilMs = nowMs + byMs
      for (;;) {
        const due = tasks.filter(task => task.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]
        if (!due) break
        tasks = tasks.filter(task => task !== due)
        nowMs = Math.max(nowMs, due.atMs)
        due.run()
      }
      nowMs = untilMs
    },
  }
}
