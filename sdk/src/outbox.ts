import type { PageLocks } from './page-locks.ts'
import type { KeyValues } from './storage.ts'

const MAX_EVENTS = 2000
const MAX_BYTES = 1024 * 1024
const GIVE_UP_MS = 20 * 60 * 60_000
/** Where no lock tells whether a page lives: longer than a page in the background goes without a turn (browsers
 *  let timers run once a minute), and short, as it is also how long the events of a page that was killed lie still. */
const LEASE_MS = 75_000
/** What a closing page has just sent gets this long to arrive before another page sends it again. */
const HAND_OVER_MS = 10_000
/** Writing much takes time that is the page's: with this many events it is done in turns. */
const MANY_EVENTS = 50
const WRITE_PAUSE_MS = 200

/** An event that the server has not answered for yet. */
export interface WaitingEvent {
  /** The event's JSON: made once, so that every attempt sends the same. */
  json: string
  bytes: number
  /** Whose event it is: the mark of the member's token, "" for nobody's. */
  member: string
  /** When it was first sent, in ms since 1970; 0 if it never was. */
  triedAtMs: number
  underWay: boolean
}

/** What an event is called, to be put before what is said of it. */
export const typeOf = (event: WaitingEvent | undefined): string =>
  event ? `${JSON.parse(event.json).type}: ` : ''

const encoder = new TextEncoder()

function toWaiting(json: string, member: string, triedAtMs = 0): WaitingEvent {
  return { json, bytes: encoder.encode(json).length, member, triedAtMs, underWay: false }
}

/** One line of what a page left behind; nothing where another script has spoilt it. */
function readLine(line: string): WaitingEvent[] {
  const [, triedAt, member = '', json = ''] = /^(\d+) (\S*) (.*)$/.exec(line) ?? []
  try {
    return JSON.parse(json).id ? [toWaiting(json, member, Number(triedAt))] : []
  } catch {
    return []
  }
}

export type Outbox = ReturnType<typeof createOutbox>

/**
 * What waits to be acknowledged: at most 2,000 events and 1 MiB, the oldest dropped first. It lives in
 * memory and, as each page writes a key of its own, survives the page: another page of the site takes over
 * what a page left behind when that page is gone, as its lock says, or, where there are no locks, a lease
 * that is kept beside the events. Should both send it after all, the ids are the same, and the server
 * stores each once.
 */
export function createOutbox(options: {
  storage: KeyValues
  /** Of the keys of all pages that send to the same address. */
  prefix: string
  pageId: string
  now: () => number
  /** Calls back after so long: what is added in one go is written in one go. */
  defer: (write: () => void, delayMs: number) => void
  locks: PageLocks
}) {
  const { storage, prefix, now, defer, locks } = options
  const ownKey = prefix + options.pageId
  let events: WaitingEvent[] = []
  let leaseEndsMs = 0
  let deferred = false

  const write = () => {
    deferred = false
    if (events.length === 0) return storage.remove(ownKey)
    const lines = events.map(event => `${event.triedAtMs} ${event.member} ${event.json}`)
    // JSON has no raw line break.
    storage.set(ownKey, [leaseEndsMs, ...lines].join('\n'))
  }
  const writeSoon = () => {
    if (deferred) return
    deferred = true
    defer(() => deferred && write(), events.length > MANY_EVENTS ? WRITE_PAUSE_MS : 0)
  }
  const trim = () => {
    let bytes = 0
    for (const event of events) bytes += event.bytes
    let dropped = 0
    while (events.length - dropped > MAX_EVENTS || bytes > MAX_BYTES) bytes -= events[dropped++]?.bytes ?? 0
    events.splice(0, dropped)
  }
  const renewLease = (busyUntilMs = now()) => {
    leaseEndsMs = locks.areThere ? now() + HAND_OVER_MS : busyUntilMs + LEASE_MS
    writeSoon()
  }

  return {
    renewLease,
    write,

    add(json: string, member: string): void {
      events.push(toWaiting(json, member))
      trim()
      renewLease()
    },

    /** The oldest events that are not under way, of one member: as many as fit, at least one if any waits. */
    take(maxEvents: number, maxBytes: number): WaitingEvent[] {
      const nowMs = now()
      // A clock that was set back is no reason to keep an event for longer.
      events = events.filter(event => !event.triedAtMs || Math.abs(nowMs - event.triedAtMs) < GIVE_UP_MS)
      const taken: WaitingEvent[] = []
      let bytes = 0
      for (const event of events) {
        if (event.underWay || event.member !== (taken[0] ?? event).member) continue
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

    /** How many events are not under way. */
    countWaiting: (): number => events.filter(event => !event.underWay).length,

    /** Says to other pages that this one lives. The lease says so for its first seconds, when the page has much to do. */
    hold: (): void => locks.hold(ownKey),

    /** Takes over what pages left behind that are gone, and calls `onFound` for each of them. */
    adopt(onFound: () => void): void {
      // Page ids rise: the newest page's events go in front first, those of older pages before them.
      for (const key of storage.keys().sort().reverse()) {
        if (!key.startsWith(prefix) || key === ownKey) continue
        locks.runIfGone(key, () => {
          const [leaseEnds, ...lines] = (storage.get(key) ?? '').split('\n')
          // A lease from a clock that was ahead does not bind for longer than a day. NaN does not bind.
          const leftMs = Number(leaseEnds) - now()
          if (leftMs > 0 && leftMs < 24 * 60 * 60_000) return
          events = [...lines.flatMap(readLine), ...events]
          trim()
          // Written before the other copy goes: between the two there may be two copies, never none.
          renewLease()
          write()
          storage.remove(key)
          onFound()
        })
      }
    },

    /** The reader refuses: nothing of theirs is kept or sent any more, of no page. */
    clear(): void {
      events = []
      for (const key of storage.keys()) if (key.startsWith(prefix)) storage.remove(key)
    },

    /** The page is going away, or into the back/forward cache. */
    handOver(): void {
      leaseEndsMs = now() + HAND_OVER_MS
      write()
      locks.release()
    },

    /** The page is back from the back/forward cache: what another page took over is no longer its own. */
    reclaim(): void {
      locks.hold(ownKey)
      if (storage.get(ownKey) === null) events = []
      renewLease()
    },
  }
}
