import { createDelivery } from './delivery.ts'
import { countAttention } from './heartbeats.ts'
import { createIdSource } from './ids.ts'
import { createOutbox } from './outbox.ts'
import { watchPageViews } from './page-views.ts'
import { createSession } from './session.ts'
import { openStorage } from './storage.ts'
import { sendEvents } from './transport.ts'

/** What a page calls. Nothing here throws. */
export interface Usher {
  /** Records an event: a name of `a-z`, `0-9` and `_`, and a flat object of at most 4 KiB. */
  track(name: string, properties?: Record<string, string | number | boolean | null>): void
  /** Sends what waits at once. */
  flush(): void
}

type Properties = Parameters<Usher['track']>[1]

/** What the snippet in README.md puts in place until this script is loaded: when, and with what. */
interface Stub {
  q: [atMs: number, given: Parameters<Usher['track']>][]
}

declare global {
  interface Window {
    usher?: Usher | Stub
  }
  interface Document {
    /** Not in TypeScript's DOM library yet. */
    readonly prerendering?: boolean
  }
}

/** What pages left behind is looked for at the start, when the page before has handed over, and then now and again. */
const ADOPT_FIRST_MS = 12_000
const ADOPT_EVERY_MS = 60_000

/** Runs what may fail without letting the page see it fail. */
function guard<Given extends unknown[]>(run: (...given: Given) => void): (...given: Given) => void {
  return (...given) => {
    try {
      run(...given)
    } catch (error) {
      console.warn('usher:', error)
    }
  }
}

function schedule(task: () => void, delayMs: number): () => void {
  const timer = setTimeout(guard(task), delayMs)
  return () => clearTimeout(timer)
}

function start(scriptUrl: string): void {
  const now = Date.now
  const endpoint = new URL('/api/sdk/events', scriptUrl).href
  const makeId = createIdSource(now, length => crypto.getRandomValues(new Uint8Array(length)))
  const storage = openStorage(() => localStorage)
  const nextPlace = createSession({ storage, key: `usher:session:${endpoint}`, now, makeId })
  const outbox = createOutbox({
    storage,
    prefix: `usher:events:${endpoint}:`,
    pageId: makeId(),
    now,
    defer: write => void Promise.resolve().then(guard(write)),
  })
  const delivery = createDelivery({
    outbox,
    send: (events, keepalive) => sendEvents(endpoint, events, { keepalive, now }),
    now,
    random: Math.random,
    schedule,
    isOnline: () => navigator.onLine,
    onRefused: message => console.warn('usher: an event was refused:', message),
  })

  const record = (type: string, properties?: Properties, atMs = now()) => {
    outbox.add({
      id: makeId(),
      type,
      ...nextPlace(),
      url: location.href,
      occurred_at: new Date(atMs).toISOString(),
      ...(properties && { properties }),
    })
    delivery.wake()
  }

  // A page that is rendered ahead has no reader yet; listeners run in the order they were added.
  const whenShown = (run: () => void) => {
    if (document.prerendering) document.addEventListener('prerenderingchange', guard(run), { once: true })
    else run()
  }
  const track = (name: string, properties?: Properties, atMs = now()) =>
    whenShown(() => record(name, properties, atMs))

  const tellAttention = countAttention({ now, schedule, beat: () => record('heartbeat') })
  const lookAtAttention = () => tellAttention(document.visibilityState === 'visible' && document.hasFocus())
  const on = (target: EventTarget, type: string, run: (event: Event) => void) =>
    target.addEventListener(type, guard(run))

  const view = () => record('page_view')
  // Before the listener that counts the restored page as a view.
  on(window, 'pageshow', event => {
    if ((event as PageTransitionEvent).persisted) outbox.reclaim()
  })
  whenShown(() => {
    view()
    watchPageViews(window, guard(view))
    lookAtAttention()
  })
  on(window, 'focus', lookAtAttention)
  on(window, 'blur', lookAtAttention)
  on(document, 'visibilitychange', () => {
    lookAtAttention()
    if (document.visibilityState === 'hidden') delivery.leave()
  })
  on(window, 'pagehide', () => {
    delivery.leave()
    outbox.handOver()
  })
  on(window, 'online', delivery.hurry)

  const adopt = (againMs: number) => {
    if (outbox.adopt()) delivery.wake()
    schedule(() => adopt(ADOPT_EVERY_MS), againMs)
  }
  adopt(ADOPT_FIRST_MS)

  const earlier = (window.usher as Stub | undefined)?.q ?? []
  window.usher = { track: guard((name, properties) => track(name, properties)), flush: guard(delivery.hurry) }
  for (const [atMs, given] of earlier) track(given[0], given[1], atMs)
}

/** The tenant's own address: the server puts it here when it serves the script, so that a page that names an
 *  alias sends to the canonical domain. */
const servedOrigin = '{{tenant_origin}}'

guard(() => {
  const scriptUrl =
    // A copy that somebody else serves has none.
    (servedOrigin.startsWith('http') ? `${servedOrigin}/sdk.js` : undefined) ||
    (document.currentScript as HTMLScriptElement | null)?.src ||
    // currentScript is null in a module.
    document.querySelector<HTMLScriptElement>('script[src*="/sdk.js"]')?.src
  const isLoadedAgain = window.usher && !('q' in window.usher)
  if (isLoadedAgain) return
  // A page that has no web address (a preview from a file, say) has no views to count.
  if (scriptUrl && /^https?:$/.test(location.protocol)) start(scriptUrl)
  else window.usher = { track() {}, flush() {} }
})()
