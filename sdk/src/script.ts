import type { Usher } from './api.ts'
import { guard } from './guard.ts'
import { silent, startUsher } from './start.ts'

/** What the snippet in README.md puts in place until this script is loaded: what was called, when, and with what. */
interface Stub {
  q: [atMs: number, call: keyof Usher, ...given: never[]][]
}

declare global {
  interface Window {
    usher?: Usher | Stub
  }
}

/** What the server puts here when it serves the script: a page that names an alias sends to the canonical domain. */
const servedOrigin = '{{tenant_origin}}'
const servedCookieName = '{{cookie_name}}'

guard(() => {
  const { usher: earlier } = window
  // An element of that id would be found under the name, too.
  if (earlier && 'track' in earlier && !('q' in earlier)) return
  const script =
    (document.currentScript as HTMLScriptElement | null) ??
    // currentScript is null in a module.
    document.querySelector<HTMLScriptElement>('script[src*="/sdk"]')
  const { endpoint, consent } = script?.dataset ?? {}
  // A copy that somebody else serves was given neither.
  const origin = servedOrigin.startsWith('http') ? servedOrigin : script?.src
  const usher = origin
    ? startUsher({
        endpoint: new URL(endpoint ?? '/api/sdk/events', endpoint === undefined ? origin : location.href)
          .href,
        cookieName: servedCookieName.startsWith('{') ? '_SERVICET' : servedCookieName,
        needsConsent: consent !== undefined,
      })
    : silent
  const calls = (earlier as Stub | undefined)?.q ?? []
  window.usher = usher
  for (const [atMs, call, ...given] of calls) {
    const [first, second] = given
    if (call === 'track') usher.track(first as never, second, atMs)
    else usher[call]?.(first as never)
  }
})()
