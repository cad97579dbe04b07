/** What a browser's `navigator.locks` does, as far as the SDK asks it, with pages that the test lets go. */
export function createLockManager() {
  const held = new Set<string>()
  const underWay: Promise<unknown>[] = []
  const request = (name: string, ...given: unknown[]): Promise<unknown> => {
    const callback = given.at(-1) as (lock: object | null) => unknown
    const isFree = !held.has(name)
    if (isFree) held.add(name)
    const ended = Promise.resolve(callback(isFree ? { name } : null)).finally(() => {
      if (isFree) held.delete(name)
    })
    if (given.length > 1) underWay.push(ended)
    return ended
  }
  return Object.assign({ request } as unknown as LockManager, {
    /** The page that held it is gone. */
    letGo: (name: string): boolean => held.delete(name),
    settled: () => Promise.all(underWay),
  })
}
