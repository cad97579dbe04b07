/** Tells pages of a site which of them live. */
export interface PageLocks {
  areThere: boolean
  /** Says that the page of this name lives, until it is released or the page is gone, in whatever way. */
  hold(name: string): void
  release(): void
  /** Runs `task` while nobody holds this name, and not at all if somebody does. At once where there are no locks. */
  runIfGone(name: string, task: () => void): void
}

/**
 * Locks that live as long as their page (Web Locks). Browsers have them on https pages; elsewhere nothing is held,
 * and `runIfGone` leaves it to the caller to know. `find` is called when there is something to hold or to ask: a page
 * that has just begun is spared it.
 */
export function createPageLocks(find: (() => LockManager) | undefined): PageLocks {
  let release = () => {}
  // Where storage is forbidden, so are locks, and there is nothing to share.
  const ignore = () => {}
  return {
    areThere: !!find,
    hold(name) {
      find?.()
        .request(
          name,
          () =>
            new Promise<void>(resolve => {
              release = resolve
            }),
        )
        .catch(ignore)
    },
    // In the back/forward cache nobody may hold a lock.
    release: () => release(),
    runIfGone(name, task) {
      if (find)
        find()
          .request(name, { ifAvailable: true }, lock => lock && task())
          .catch(ignore)
      else task()
    },
  }
}
