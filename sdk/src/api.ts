/** What a page calls. Nothing here throws. */
export interface Usher {
  /** Records an event: a name of `a-z`, `0-9` and `_`, and a flat object of at most 4 KiB. */
  track(name: string, properties?: Properties): void
  /** Sends what waits at once. */
  flush(): void
  /** The reader's decision: `true` sends what was held back, `false` drops it and records nothing more. It holds
   *  for the site, in this browser, until the next one. */
  consent(isGiven: boolean): void
}

/** What a custom event carries. */
export type Properties = Record<string, string | number | boolean | null>

/** What a site says of its pages. */
export interface Settings {
  /** Where events are sent. */
  endpoint: string
  /** Of the cookie that holds the member's token. */
  cookieName: string
  /** Hold everything back, in memory alone, until `consent(true)` is called. */
  needsConsent: boolean
}
