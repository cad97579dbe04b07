import type { KeyValues } from './storage.ts'

const IDLE_MS = 30 * 60_000
/** What is stored: the session, the time of its last event, and how many events and heartbeats it had so far. */
const FORM = /^([\w-]+) (\d{1,15}) (\d{1,15}) (\d{1,15})$/

/** Which session an event belongs to, and its place in it, from 0. */
export interface SessionPlace {
  session_id: string
  event_sequence: number
}

/**
 * The visitor's session: shared by the tabs of the site, over 30 minutes after its last event. Heartbeats are
 * numbered by themselves, as they have a queue of their own: so a gap in either queue is an event that was lost
 * or refused. It is one synchronous read and write, so that an event has its place before the page can go away;
 * two tabs that track in the very same moment may give two events the same place.
 */
export function createSession(options: {
  storage: KeyValues
  key: string
  now: () => number
  makeId: () => string
}): (isHeartbeat: boolean) => SessionPlace {
  const { storage, key, now, makeId } = options
  return isHeartbeat => {
    const nowMs = now()
    const [, id, lastMs, events, heartbeats] = FORM.exec(storage.get(key) ?? '') ?? []
    // A time in the future was written by a clock that has been put right since. NaN is not fresh either.
    const goesOn = id && Math.abs(nowMs - Number(lastMs)) < IDLE_MS
    const session_id = goesOn ? id : makeId()
    const next = goesOn
      ? { events: Number(events), heartbeats: Number(heartbeats) }
      : { events: 0, heartbeats: 0 }
    const event_sequence = isHeartbeat ? next.heartbeats++ : next.events++
    storage.set(key, `${session_id} ${nowMs} ${next.events} ${next.heartbeats}`)
    return { session_id, event_sequence }
  }
}
