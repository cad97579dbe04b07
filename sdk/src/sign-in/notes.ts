/** What is noted further ahead was written by a clock that has been put right since. */
const LONGEST_MS = 60 * 60_000

export type Notes = ReturnType<typeof createNotes>

/** Words that hold for a time, an hour at most, in a Web Storage. Where that is forbidden, or full, nothing is noted. */
export function createNotes(webStorage: () => Storage, prefix: string, now: () => number) {
  const attempt = <T>(use: (storage: Storage) => T): T | undefined => {
    try {
      return use(webStorage())
    } catch {
      // Where storage is forbidden, even naming it throws.
    }
  }
  return {
    write(name: string, forMs: number, word: unknown): void {
      attempt(storage => storage.setItem(prefix + name, `${now() + Math.min(forMs, LONGEST_MS)} ${word}`))
    },
    /** Undefined where there is none, or its time is over. */
    read(name: string): string | undefined {
      const note = attempt(storage => storage.getItem(prefix + name)) ?? ''
      const [untilMs, word] = note.split(/ (.*)/)
      const leftMs = Number(untilMs) - now()
      return leftMs > 0 && leftMs <= LONGEST_MS ? word : undefined
    },
  }
}
