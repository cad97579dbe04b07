/** Waits for what may never come; throws `Not within … ms: {what}.` when it takes longer. `what` may be a function, to say what
 *  is known by then. */
export async function within<T>(
  withinMs: number,
  what: string | (() => string),
  comes: Promise<T>,
): Promise<T> {
  const expired = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const words = typeof what === 'string' ? what : what()
    expired.reject(new Error(`Not within ${withinMs} ms: ${words}.`))
  }, withinMs)
  try {
    return await Promise.race([comes, expired.promise])
  } finally {
    clearTimeout(timer)
  }
}
