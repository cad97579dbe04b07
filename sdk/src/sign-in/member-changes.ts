import type { Page } from './page.ts'
import { settle } from './settle.ts'

const NOTE = 'changed'
const HOLDS_MS = 1_000

/** What browsers that have it tell of cookies (Cookie Store API), in every tab that sees them. */
type WindowWithCookieStore = Window & { cookieStore?: EventTarget }

/** Tells the page by the event `usher:member` when somebody signs in or out in whatever tab: at once where the browser tells
 *  of cookies or a page of the same site did it, else when the reader comes back to this page. Gives what tells the other
 *  pages of the site; of what no cookie shows them, where it is `unseen`. */
export function watchMember(
  window: WindowWithCookieStore,
  { notes, mark }: Page,
  changeKey: string,
): (isUnseen: boolean) => void {
  let known = mark()
  const look = settle((isUnseen?: unknown) => {
    const seen = mark()
    if (seen === known && isUnseen !== true) return
    known = seen
    window.dispatchEvent(new CustomEvent('usher:member', { detail: { isSignedIn: !!seen } }))
  }, undefined)
  for (const [target, type] of [
    [window.cookieStore, 'change'],
    [window, 'pageshow'],
    [window.document, 'visibilitychange'],
  ] as const)
    target?.addEventListener(type, look)
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === changeKey) void look(newValue?.endsWith('true'))
  })
  return isUnseen => {
    notes.write(NOTE, HOLDS_MS, isUnseen)
    void look()
  }
}
