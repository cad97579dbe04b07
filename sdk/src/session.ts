import type { KeyValues } from './storage.ts'

const IDLE_MS = 30 * 60_000

/** Which session an event belongs to, and its place in it, from 0. */
export interface SessionPlace {
  session_id: string
  event_sequence: number
}

/**
 * The visitor's session: shared by the tabs of the site, over 30 minutes after its last event. It is
 * one synchronous read and write, so that an event has its place before the page can go away; two
 * tabs that track in the very same moment may give two events the same place.
 */
export function createSession(options: {
  storage: KeyValues
  key: string
  now: () => number
  makeId: () => string
}): () => SessionPlace {
  const { storage, key, now, makeId } = options
  return () => {
    const nowMs = now()
    const [id, sequence, lastMs] = (storage.get(key) ?? '').split(' ')
    // A time in the future was written by a clock that has been put right since. NaN is not fresh either.
    const goesOn = id && Number(sequence) >= 0 && Math.abs(nowMs - Number(lastMs)) < IDLE_MS
    const place = goesOn
      ? { session_id: id, event_sequence: Number(sequence) + 1 }
      : { session_id: makeId(), event_sequence: 0 }
    storage.set(key, `${place.session_id} ${place.event_sequence} ${nowMs}`)
    return place
  }
}
