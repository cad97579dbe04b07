import { setTimeout as delay } from 'node:timers/promises'

const firstRetryMs = 500
const longestRetryMs = 30_000
/** No answer may put a consumer to sleep for longer. */
const longestAskedMs = 15 * 60_000
const firstEmptyMs = 250

/** Before the next attempt after `failures` of them: doubling, half of it by chance, and at least what the platform asks for. */
export function retryWaitMs(failures: number, askedMs: number): number {
  const backoffMs = Math.min(firstRetryMs * 2 ** (failures - 1), longestRetryMs)
  return Math.max(Math.min(askedMs, longestAskedMs), backoffMs * (0.5 + Math.random() / 2))
}

/** Before the next read after `empty` of them found nothing: doubling up to `longestMs`. */
export function emptyWaitMs(empty: number, longestMs: number): number {
  return Math.min(firstEmptyMs * 2 ** Math.min(empty - 1, 20), longestMs)
}

/** Waits; ends at once, without an error, when the signal is aborted. */
export async function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return
  await delay(ms, undefined, signal && { signal }).catch(() => {})
}
