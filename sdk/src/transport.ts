import type { WaitingEvent } from './outbox.ts'

const TIMEOUT_MS = 30_000

/** What became of a request, as far as the events in it are concerned. */
export type Outcome =
  /** The server has dealt with all of them; `refused` says why it did not take some. */
  | { kind: 'done'; refused: string[] }
  | { kind: 'too_large' }
  /** Not known, or not now. `waitMs` is what the server asks for, 0 where it does not say. */
  | { kind: 'later'; waitMs: number }

/** Retry-After (RFC 9110, 10.2.3) in ms: seconds or a date; 0 where it is missing or neither. */
export function parseRetryAfter(value: string | null, nowMs: number): number {
  if (!value) return 0
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs
  return waitMs > 0 ? waitMs : 0
}

interface CollectAnswer {
  message?: unknown
  accepted?: unknown
  rejected?: { message?: unknown }[]
}

/**
 * Sends events to the collect endpoint. A text/plain body without credentials needs no preflight.
 * Never throws.
 */
export async function sendEvents(
  endpoint: string,
  events: WaitingEvent[],
  options: { keepalive: boolean; now: () => number },
): Promise<Outcome> {
  const { keepalive, now } = options
  const abort = new AbortController()
  const timeout = setTimeout(() => abort.abort(), TIMEOUT_MS)
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: `{"sent_at":"${new Date(now()).toISOString()}","events":[${events.map(event => event.json).join()}]}`,
      keepalive,
      credentials: 'omit',
      signal: abort.signal,
    })
    const { status } = response
    if (status === 413) return { kind: 'too_large' }
    if (status === 408 || status === 429 || status < 200 || status >= 500) {
      return { kind: 'later', waitMs: parseRetryAfter(response.headers.get('retry-after'), now()) }
    }
    const answer: CollectAnswer | null = await response.json().catch(() => null)
    // A 200 of something that stands between (a captive portal, say) does not mean that events are stored.
    if (status < 300 && typeof answer?.accepted !== 'number') return { kind: 'later', waitMs: 0 }
    const messages =
      answer?.rejected?.map(event => event.message) ?? (status < 300 ? [] : [answer?.message ?? status])
    return { kind: 'done', refused: messages.map(String) }
  } catch {
    return { kind: 'later', waitMs: 0 }
  } finally {
    clearTimeout(timeout)
  }
}
