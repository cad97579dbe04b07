import { typeOf, type WaitingEvent } from './outbox.ts'

const TIMEOUT_MS = 30_000

/** What became of a request, as far as the events in it are concerned. */
export type Outcome =
  /** The server has dealt with all of them; `refused` says which it did not take, and why. */
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
  index?: unknown
  message?: unknown
  accepted?: unknown
  rejected?: unknown
}

/**
 * Sends events to the collect endpoint. A text/plain body without credentials needs no preflight.
 * Never throws.
 */
export async function sendEvents(
  endpoint: string,
  events: WaitingEvent[],
  options: {
    keepalive: boolean
    /** The page may be gone before the answer comes. */
    isLast: boolean
    /** The member's, "" where nobody is signed in. */
    token: string
    now: () => number
  },
): Promise<Outcome> {
  const { keepalive, isLast, token, now } = options
  const body = `{"sent_at":"${new Date(now()).toISOString()}",${token && `"token":${JSON.stringify(token)},`}"events":[${events.map(event => event.json).join()}]}`
  const abort = new AbortController()
  const timeout = setTimeout(() => abort.abort(), TIMEOUT_MS)
  try {
    // Firefox before 133: the request would end with the page. A beacon does not, and its answer is never known.
    if (isLast && !('keepalive' in Request.prototype)) {
      navigator.sendBeacon(endpoint, body)
      return { kind: 'later', waitMs: 0 }
    }
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body,
      keepalive,
      credentials: 'omit',
      // Nothing of ours redirects: it would be a captive portal, whose answer says nothing of the events.
      redirect: 'manual',
      signal: abort.signal,
    })
    const { status } = response
    if (status === 413) return { kind: 'too_large' }
    const isOk = status >= 200 && status < 300
    const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 429
    if (!isOk && !isRefused) {
      return { kind: 'later', waitMs: parseRetryAfter(response.headers.get('retry-after'), now()) }
    }
    const answer: CollectAnswer | null = await response.json().catch(() => null)
    // A 200 of something that stands between (a captive portal, say) does not mean that events are stored.
    if (isOk && typeof answer?.accepted !== 'number') return { kind: 'later', waitMs: 0 }
    const rejected: unknown[] = Array.isArray(answer?.rejected) ? answer.rejected : []
    const messages = rejected.map(refusal => {
      const { index, message } = (refusal ?? {}) as CollectAnswer
      return typeOf(events[Number(index)]) + message
    })
    if (isRefused && messages.length === 0) messages.push(String(answer?.message ?? status))
    return { kind: 'done', refused: messages }
  } catch {
    return { kind: 'later', waitMs: 0 }
  } finally {
    clearTimeout(timeout)
  }
}
