import type { Notes } from './notes.ts'

/** What all of sign-in stands on in a page. */
export interface Page {
  /** The tenant's. */
  origin: string
  /** Shared by the pages of the site. */
  notes: Notes
  /** Of this tab alone. */
  tabNotes: Notes
  /** The device token in the cookie, "" where the page sees none. */
  token: () => string
  /** Tells tokens apart without being one. */
  mark: () => string
}
