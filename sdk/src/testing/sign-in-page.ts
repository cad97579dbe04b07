import { markOf } from '../member-token.ts'
import { createNotes } from '../sign-in/notes.ts'
import type { Page } from '../sign-in/page.ts'
import { createClock } from './clock.ts'
import { createWebStorage } from './web-storage.ts'

/** A browser with a site's pages in it, for tests outside a browser. */
export function createTestBrowser(origin = 'https://members.example.com') {
  const clock = createClock()
  const storage = createWebStorage()
  let token = ''
  return {
    clock,
    storage,
    /** Whose cookie the pages see. */
    sign(next: string): void {
      token = next
    },
    /** A page in a tab of its own. */
    openPage(): Page {
      const tabStorage = createWebStorage()
      return {
        origin,
        notes: createNotes(() => storage, 'usher:', clock.now),
        tabNotes: createNotes(() => tabStorage, 'usher:', clock.now),
        token: () => token,
        mark: () => markOf(token),
      }
    },
  }
}
