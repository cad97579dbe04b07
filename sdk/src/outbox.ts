import type { KeyValues } from './storage.ts'

const MAX_EVENTS = 500
const MAX_BYTES = 256 * 1024
const GIVE_UP_MS = 20 * 60 * 60_000
/** Longer than a page in the background goes without a turn (browsers let timers run once a minute), and
 *  short, as it is also how long the events of a page that was killed lie still. */
const LEASE_MS = 75_000
/** What a closing page has just sent gets this long to arrive before another page sends it again. */
const HAND_OVER_MS = 10_000

/** An event that the server has not answered for yet. */
export interface WaitingEvent {
  /** The event's JSON: made once, so that every attempt sends the same. */
  json: string
  bytes: number
  /** When it was first sent, in ms since 1970; 0 if it never was. */
  triedAtMs: number
  underWay: boolean
}

const encoder = new TextEncoder()

function toWaiting(json: string, triedAtMs = 0): WaitingEvent {
  return { json, bytes: encoder.encode(json).length, triedAtMs, underWay: false }
}

/** One line of what a page left behind; nothing where another script has spoilt it. */
function readLine(line: string): WaitingEvent[] {
  const space = line.indexOf(' ')
  const json = line.slice(space + 1)
  try {
    return JSON.parse(json).id ? [toWaiting(json, Number(line.slice(0, space)))] : []
  } catch {
    return []
  }
}

export type Outbox = ReturnType<typeof createOutbox>

/**
 * What waits to be acknowledged: at most 500 events and 256 KiB, the oldest dropped first. It lives in
 * memory and, as each page writes a key of its own, survives the page: a lease is kept beside the
 * events, and another page of the site takes over what a page left behind when its lease has ended.
 * Should both send it after all, the ids are the same, and the server stores each once.
 */
export function createOutbox(options: {
  storage: KeyValues
  /** Of the keys of all pages that send to the same address. */
  prefix: string
  pageId: string
  now: () => number
  /** Called in a moment: what is added in one go is written in one go. */
  defer: (write: () => void) => void
}) {
  const { storage, prefix, now, defer } = options
  const ownKey = prefix + options.pageId
  let events: WaitingEvent[] = []
  let leaseEndsMs = 0
  let deferred = false

  const write = () => {
    deferred = false
    if (events.length === 0) return storage.remove(ownKey)
    const lines = events.map(event => `${event.triedAtMs} ${event.json}`)
    // JSON has no raw line break.
    storage.set(ownKey, [leaseEndsMs, ...lines].join('\n'))
  }
  const writeSoon = () => {
    if (deferred) return
    deferred = true
    defer(() => deferred && write())
  }
  const trim = () => {
    let bytes = 0
    for (const event of events) bytes += event.bytes
    let dropped = 0
    while (events.length - dropped > MAX_EVENTS || bytes > MAX_BYTES) bytes -= events[dropped++]?.bytes ?? 0
    events.splice(0, dropped)
  }
  const renewLease = (busyUntilMs = now()) => {
    leaseEndsMs = busyUntilMs + LEASE_MS
    writeSoon()
  }

  return {
    renewLease,
    write,

    add(event: object): void {
      events.push(toWaiting(JSON.stringify(event)))
      trim()
      renewLease()
    },

    /** The oldest events that are not under way: as many as fit, at least one if any waits. */
    take(maxEvents: number, maxBytes: number): WaitingEvent[] {
      const nowMs = now()
      events = events.filter(event => !event.triedAtMs || nowMs - event.triedAtMs < GIVE_UP_MS)
      const taken: WaitingEvent[] = []
      let bytes = 0
      for (const event of events) {
        if (event.underWay) continue
        bytes += event.bytes + 1
        if (taken.length === maxEvents || (bytes > maxBytes && taken.length > 0)) break
        event.underWay = true
        taken.push(event)
      }
      return taken
    },

    /** The server has answered for these events, for good or bad. */
    remove(answered: WaitingEvent[]): void {
      events = events.filter(event => !answered.includes(event))
      writeSoon()
    },

    /** The server has not answered for these events: they wait again. */
    putBack(unanswered: WaitingEvent[]): void {
      for (const event of unanswered) event.underWay = false
    },

    hasWaiting: (): boolean => events.some(event => !event.underWay),

    /** Takes over what pages left behind whose lease has ended. True if there was anything. */
    adopt(): boolean {
      const nowMs = now()
      let found = false
      // Page ids rise: the newest page's events go in front first, those of older pages before them.
      for (const key of storage.keys().sort().reverse()) {
        if (!key.startsWith(prefix) || key === ownKey) continue
        const [leaseEnds, ...lines] = (storage.get(key) ?? '').split('\n')
        // A lease from a clock that was ahead does not bind for longer than a day. NaN does not bind.
        const leftMs = Number(leaseEnds) - nowMs
        if (leftMs > 0 && leftMs < 24 * 60 * 60_000) continue
        events = [...lines.flatMap(readLine), ...events]
        trim()
        // Written before the other copy goes: between the two there may be two copies, never none.
        leaseEndsMs = nowMs + LEASE_MS
        write()
        storage.remove(key)
        found = true
      }
      return found
    },

    /** The page is going away, or into the back/forward cache. */
    handOver(): void {
      leaseEndsMs = now() + HAND_OVER_MS
      write()
    },

    /** The page is back from the back/forward cache: what another page took over is no longer its own. */
    reclaim(): void {
      if (storage.get(ownKey) === null) events = []
      renewLease()
    },
  }
}
