/** A Web Storage in memory, of limited size: what a page has, for tests outside a browser. */
export function createWebStorage(maxChars = Number.POSITIVE_INFINITY): Storage {
  const storage = {} as Record<string, string>
  const used = () => Object.entries(storage).reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  const methods = {
    getItem: (key: string) => storage[key] ?? null,
    setItem(key: string, value: string) {
      const grows = value.length - (storage[key]?.length ?? -key.length)
      if (used() + grows > maxChars)
        throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
      storage[key] = value
    },
    removeItem(key: string) {
      delete storage[key]
    },
  }
  // As in a browser, the keys are properties of their own and the methods are not.
  Object.setPrototypeOf(storage, methods)
  return storage as unknown as Storage
}
