/** Lets callers that ask for the same thing while it is being found out share one answer, so that monitors
 *  cannot pile up questions on a database that hangs. */
export function shareChecks<T>(): (key: string, check: () => Promise<T>) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  return (key, check) => {
    const shared = running.get(key)
    if (shared !== undefined) return shared
    const started = check().finally(() => running.delete(key))
    running.set(key, started)
    return started
  }
}
