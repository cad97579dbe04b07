import type { Usher } from './api.ts'
import type { SignIn } from './sign-in/api.ts'

/** What was called before the tracking file was there: when, and with what. */
type WaitingCall = [atMs: number, call: keyof Usher, ...given: never[]]
/** What was called before the sign-in file was there, and whom to answer. */
export type WaitingQuestion = [call: keyof SignIn, given: never[], answer: (value: unknown) => void]

/** `window.usher`: the calls of the files that are there, and what waits for those that are not (README.md). */
interface PageCalls extends Partial<Usher>, Partial<SignIn> {
  q?: WaitingCall[]
  p?: { push(question: WaitingQuestion): unknown }
}

declare global {
  interface Window {
    usher?: PageCalls
  }
}

/** What the page has there so far. An element of that id would be found under the name, too. */
export function findPageCalls(): PageCalls {
  const { usher } = window
  return usher && !(usher instanceof Element) ? usher : {}
}

/** The element that this script is of, found by its address in a module, where the browser does not tell. */
export const findOwnScript = (selector: string): HTMLScriptElement | null =>
  (document.currentScript as HTMLScriptElement | null) ?? document.querySelector<HTMLScriptElement>(selector)
