import type { Properties, Settings, Usher } from './api.ts'
import { createConsent, isTrackingUnwanted } from './consent.ts'
import { createDelivery } from './delivery.ts'
import { guard } from './guard.ts'
import { countAttention } from './heartbeats.ts'
import { createIdSource } from './ids.ts'
import { markOf, readMemberToken } from './member-token.ts'
import { createOutbox } from './outbox.ts'
import { createPageLocks } from './page-locks.ts'
import { watchPageViews } from './page-views.ts'
import { createSession } from './session.ts'
import { openStorage } from './storage.ts'
import { sendEvents } from './transport.ts'

declare global {
  interface Document {
    /** Not in TypeScript's DOM library yet. */
    readonly prerendering?: boolean
  }
}

/** Calls that do nothing: the page has no web address, or its reader does not want to be tracked. */
export const silent: Usher = { track() {}, flush() {}, consent() {} }

/** `track` with the moment that it was called at, for what was called before the script was there. */
export interface StartedUsher extends Usher {
  track(name: string, properties?: Properties, atMs?: number): void
}

/** What pages left behind is looked for. */
const ADOPT_FIRST_MS = 1_000
const ADOPT_EVERY_MS = 12_000

function schedule(task: () => void, delayMs: number): () => void {
  const timer = setTimeout(guard(task), delayMs)
  return () => clearTimeout(timer)
}

/** Counts the views of this page and what its reader does. Throws nothing, now or later. */
export function startUsher({ endpoint, cookieName, needsConsent }: Settings): StartedUsher {
  // A page that has no web address (a preview from a file, say) has no views to count.
  if (!/^https?:$/.test(location.protocol) || isTrackingUnwanted(window)) return silent
  const now = Date.now
  const keyOf = (what: string) => `usher:${what}:${endpoint}`
  const makeId = createIdSource(now, length => crypto.getRandomValues(new Uint8Array(length)))
  const storage = openStorage(() => localStorage)
  const consent = createConsent({ storage, key: keyOf('consent'), isNeeded: needsConsent })
  const nextPlace = createSession({ storage, key: keyOf('session'), now, makeId })
  const memberToken = () => readMemberToken(document.cookie, cookieName)
  const outbox = createOutbox({
    storage,
    prefix: `${keyOf('events')}:`,
    pageId: makeId(),
    now,
    defer(write, delayMs) {
      if (delayMs) schedule(write, delayMs)
      else void Promise.resolve().then(guard(write))
    },
    locks: createPageLocks('locks' in navigator ? () => navigator.locks : undefined),
  })
  const delivery = createDelivery({
    outbox,
    send(events, keepalive, isLast) {
      const token = memberToken()
      const isTheirs = markOf(token) === events[0]?.member
      return sendEvents(endpoint, events, { keepalive, isLast, token: isTheirs ? token : '', now })
    },
    storage,
    key: keyOf('wait'),
    now,
    random: Math.random,
    schedule,
    isOnline: () => navigator.onLine,
    onRefused: message => console.warn('usher: an event was refused:', message),
  })

  let firstView: (() => void) | undefined
  const record = (
    type: string,
    what: { properties?: Properties; seconds?: number },
    atMs: number,
    url: string,
  ) => {
    firstView?.()
    // Made at once: what is held back is about this moment, and the page may change what it handed over.
    const json = JSON.stringify({ type, url, occurred_at: new Date(atMs).toISOString(), ...what })
    const member = markOf(memberToken())
    consent.run(() => {
      const head = JSON.stringify({ id: makeId(), ...nextPlace(type === 'heartbeat') })
      outbox.add(`${head.slice(0, -1)},${json.slice(1)}`, member)
      delivery.wake()
    })
  }

  // A page that is rendered ahead has no reader yet; listeners run in the order they were added.
  const whenShown = (run: () => void) => {
    if (document.prerendering) document.addEventListener('prerenderingchange', guard(run), { once: true })
    else run()
  }

  let viewedUrl = location.href
  const attention = countAttention({
    now: () => performance.now(),
    schedule,
    beat: seconds => record('heartbeat', { seconds }, now(), viewedUrl),
  })
  const lookAtAttention = () => attention.set(document.visibilityState === 'visible' && document.hasFocus())
  const view = () => {
    // What was counted so far belongs to the address before.
    attention.tell()
    viewedUrl = location.href
    record('page_view', {}, now(), viewedUrl)
  }
  const leave = () => {
    firstView?.()
    attention.tell()
    delivery.leave()
    outbox.write()
  }
  const on = (target: EventTarget, type: string, run: (event: Event) => void) =>
    target.addEventListener(type, guard(run))

  // Before the listener that counts the restored page as a view.
  on(window, 'pageshow', event => {
    if ((event as PageTransitionEvent).persisted) outbox.reclaim()
  })
  whenShown(() => {
    // In a task of its own, or before whatever else is recorded: the first cookie and the first storage take time.
    const atMs = now()
    const url = location.href
    viewedUrl = url
    firstView = () => {
      firstView = undefined
      record('page_view', {}, atMs, url)
    }
    schedule(() => firstView?.(), 0)
    watchPageViews(window, view, guard)
    lookAtAttention()
  })
  on(window, 'focus', lookAtAttention)
  on(window, 'blur', lookAtAttention)
  on(document, 'visibilitychange', () => {
    lookAtAttention()
    if (document.visibilityState === 'hidden') leave()
  })
  on(window, 'pagehide', () => {
    leave()
    outbox.handOver()
  })
  on(window, 'online', delivery.hurry)

  const adopt = () => {
    schedule(adopt, ADOPT_EVERY_MS)
    outbox.adopt(delivery.wake)
  }
  schedule(() => {
    outbox.hold()
    adopt()
  }, ADOPT_FIRST_MS)

  return {
    track: guard((name, properties, atMs = now()) =>
      whenShown(() => record(name, properties ? { properties } : {}, atMs, location.href)),
    ),
    flush: guard(delivery.hurry),
    consent: guard(isGiven => {
      consent.answer(isGiven)
      if (!isGiven) {
        outbox.clear()
        storage.remove(keyOf('session'))
      }
    }),
  }
}
