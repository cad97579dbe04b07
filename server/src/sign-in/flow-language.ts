import { type BrowserFacts, preferLocales } from '../oauth/index.ts'
import type { Flow } from './flow.ts'

/** A browser that is in a flow: its pages are in the languages that the flow's client wishes, and then in the browser's own
 *  (`ui_locales`, OpenID Connect Core 3.1.2.1). */
export const inLanguageOf = (flow: Flow | undefined, browser: BrowserFacts): BrowserFacts => ({
  ...browser,
  acceptLanguage: preferLocales(browser.acceptLanguage, flow?.request?.uiLocales ?? null),
})
