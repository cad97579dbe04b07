import type { KeyValues } from './storage.ts'

/** So many events are held back at most, the oldest dropped. */
const MAX_HELD = 500

/**
 * Runs what records an event if the reader allows it, holds it back while they have not been asked, and
 * drops it when they refuse. Nothing is kept in the browser before the answer, and of a refusal the word alone.
 * The answer is read anew each time, as it may be given in another tab.
 */
export function createConsent(options: { storage: KeyValues; key: string; isNeeded: boolean }) {
  const { storage, key, isNeeded } = options
  let held: (() => void)[] = []
  const release = () => {
    const earlier = held
    held = []
    for (const run of earlier) run()
  }
  return {
    /** Now, later, or never. */
    run(record: () => void): void {
      const answer = storage.get(key)
      if (answer === 'no') held = []
      else {
        held = [...held, record].slice(-MAX_HELD)
        if (answer || !isNeeded) release()
      }
    },

    answer(isGiven: boolean): void {
      storage.set(key, isGiven ? 'yes' : 'no')
      if (isGiven) release()
      else held = []
    },
  }
}

/** Whether the browser says that its reader does not want to be tracked (Do Not Track, Global Privacy Control). */
export function isTrackingUnwanted(window: Window): boolean {
  const { navigator } = window as Window & {
    navigator: { doNotTrack?: string | null; globalPrivacyControl?: boolean }
  }
  return navigator.globalPrivacyControl === true || navigator.doNotTrack === '1'
}
