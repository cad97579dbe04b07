import { type Outbox, typeOf, type WaitingEvent } from './outbox.ts'
import type { KeyValues } from './storage.ts'
import type { Outcome } from './transport.ts'

/** The server takes 100 events and 256 KiB a request; a little is left for what stands around them. */
const MAX_EVENTS = 100
const MAX_BYTES = 255 * 1024
/** Browsers allow 64 KiB to all keepalive requests of a page together. */
const KEEPALIVE_BYTES = 60 * 1024
/** Between two requests, so that what a reader does in quick succession travels together. */
const PAUSE_MS = 1000
const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 2 * 60_000
const LONGEST_WAIT_MS = 60 * 60_000

/**
 * Brings events to the server: one request at a time, what is tracked meanwhile goes with the next.
 * What was not acknowledged is sent again, with the same ids, at growing and random distances, never
 * before the moment that the server asks for.
 */
export function createDelivery(options: {
  outbox: Outbox
  /** `isLast`: the page may be gone before the answer comes. */
  send: (events: WaitingEvent[], keepalive: boolean, isLast: boolean) => Promise<Outcome>
  storage: KeyValues
  /** Where the pages of the site tell each other how long the server wants to be left alone. */
  key: string
  now: () => number
  /** From 0 to below 1. */
  random: () => number
  /** Runs `task` after `delayMs`; the answer cancels it. */
  schedule: (task: () => void, delayMs: number) => () => void
  isOnline: () => boolean
  onRefused: (message: string) => void
}) {
  const { outbox, send, storage, key, now, schedule } = options
  let maxEvents = MAX_EVENTS
  let busy = false
  let failures = 0
  let keepaliveBytes = 0
  /** Before this moment nothing is sent unless there is news: the page goes, or the network is back. */
  let restUntilMs = 0
  let cancel = () => {}

  /** For so long nothing is sent, by no page of the site: the server has asked for it. */
  const closedForMs = () => {
    const leftMs = Number(storage.get(key)) - now()
    // More than is ever waited for was written by a clock that has been put right since.
    return leftMs > 0 && leftMs <= LONGEST_WAIT_MS ? leftMs : 0
  }

  const wake = () => {
    if (busy) return
    cancel()
    cancel = schedule(() => void run(), Math.max(0, restUntilMs - now(), closedForMs()))
  }

  const fail = (waitMs: number) => {
    const backoffMs = Math.min(FIRST_RETRY_MS * 2 ** failures++, LONGEST_RETRY_MS)
    restUntilMs = now() + backoffMs * (0.5 + options.random() / 2)
    if (waitMs > 0) storage.set(key, String(now() + Math.min(waitMs, LONGEST_WAIT_MS)))
    outbox.renewLease(Math.max(restUntilMs, now() + closedForMs()))
  }

  const attempt = async (events: WaitingEvent[], leaving: boolean) => {
    const bytes = events.reduce((sum, event) => sum + event.bytes + 1, 0)
    // After a failure without, in case it was the page's other requests that had used the budget up.
    const keepalive = leaving || (failures === 0 && keepaliveBytes + bytes <= KEEPALIVE_BYTES)
    // What fails while the browser is offline never left: it does not count as the first attempt.
    if (options.isOnline()) for (const event of events) event.triedAtMs ||= now()
    outbox.renewLease()
    if (keepalive) keepaliveBytes += bytes
    const outcome = await send(events, keepalive, leaving)
    if (keepalive) keepaliveBytes -= bytes
    if (outcome.kind === 'later') {
      outbox.putBack(events)
      fail(outcome.waitMs)
      return
    }
    failures = 0
    storage.remove(key)
    // What makes another full request has waited for nobody.
    restUntilMs = outbox.countWaiting() < maxEvents ? now() + PAUSE_MS : 0
    if (outcome.kind === 'too_large' && events.length > 1) {
      maxEvents = Math.ceil(events.length / 2)
      outbox.putBack(events)
      return
    }
    outbox.remove(events)
    const refused = outcome.kind === 'done' ? outcome.refused : [`${typeOf(events[0])}it is too large`]
    for (const message of refused) options.onRefused(message)
  }

  const run = async () => {
    // Another page may have been told to wait since this was due.
    if (closedForMs() > 0) return wake()
    const events = outbox.take(maxEvents, MAX_BYTES)
    if (events.length === 0) return
    busy = true
    await attempt(events, false)
    busy = false
    if (outbox.countWaiting() > 0) wake()
  }

  return {
    /** Sends what waits when it may be sent. */
    wake,

    /** Sends what waits now, although a retry was not due yet. */
    hurry(): void {
      restUntilMs = 0
      wake()
    },

    /** The page may be gone in a moment: sends what a request that outlives the page can carry. */
    leave(): void {
      if (closedForMs() > 0) return
      const events = outbox.take(maxEvents, KEEPALIVE_BYTES - keepaliveBytes)
      const bytes = events.reduce((sum, event) => sum + event.bytes + 1, 0)
      if (keepaliveBytes + bytes > KEEPALIVE_BYTES) outbox.putBack(events)
      else if (events.length > 0) void attempt(events, true).then(() => outbox.countWaiting() > 0 && wake())
    },
  }
}
