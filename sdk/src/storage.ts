/** What the SDK asks of a Web Storage. */
export interface KeyValues {
  get(key: string): string | null
  set(key: string, value: string): void
  remove(key: string): void
  keys(): string[]
}

/**
 * A Web Storage that never throws. What it refuses to keep (it is full, or forbidden to this page) is
 * kept in memory and read from there, for as long as this page lives.
 */
export function openStorage(webStorage: () => Storage): KeyValues {
  const memory = new Map<string, string>()
  // Where storage is forbidden, even naming it throws.
  const attempt = <T>(use: (storage: Storage) => T): T | undefined => {
    try {
      return use(webStorage())
    } catch {
      return undefined
    }
  }
  const remove = (key: string) => {
    memory.delete(key)
    attempt(storage => storage.removeItem(key))
  }
  return {
    get: key => memory.get(key) ?? attempt(storage => storage.getItem(key)) ?? null,
    set(key, value) {
      const write = () =>
        attempt(storage => {
          storage.setItem(key, value)
          return true
        })
      // What was kept before must not outlive what takes its place, and leaves room for it.
      let isKept = write()
      if (!isKept) {
        remove(key)
        isKept = write()
      }
      if (isKept) memory.delete(key)
      else memory.set(key, value)
    },
    remove,
    keys: () => [...memory.keys(), ...(attempt(storage => Object.keys(storage)) ?? [])],
  }
}
