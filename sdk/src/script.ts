import { guard } from './guard.ts'
import { findOwnScript, findPageCalls } from './page-calls.ts'
import { memberCookieName, tenantAddress } from './served.ts'
import { silent, startUsher } from './start.ts'

guard(() => {
  const calls = findPageCalls()
  const { q } = calls
  if (calls.track && !q) return
  const script = findOwnScript('script[src*="/sdk"]:not([src*="sign-in"])')
  // Not by `dataset`, an object that the browser would have to make.
  const endpoint = script?.getAttribute('data-endpoint')
  const origin = tenantAddress(script)
  const usher = origin
    ? startUsher({
        endpoint: new URL(endpoint ?? '/api/sdk/events', endpoint == null ? origin : location.href).href,
        cookieName: memberCookieName,
        needsConsent: !!script?.hasAttribute('data-consent'),
      })
    : silent
  // Beside what the sign-in file has put there.
  window.usher = Object.assign(calls, usher)
  delete calls.q
  for (const [atMs, call, ...given] of q ?? []) {
    const [first, second] = given
    if (call === 'track') usher.track(first as never, second, atMs)
    else usher[call]?.(first as never)
  }
})()
