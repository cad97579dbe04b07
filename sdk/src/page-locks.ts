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
 * and `runIfGone` leaves it to the caller to know.
 */
export function createPageLocks(manager: LockManager | undefined): PageLocks {
  let release = () => {}
  // Where storage is forbidden, so are locks, and there is nothing to share.
  const ignore = () => {}
  return {
    areThere: !!manager,
    hold(name) {
      manager
        ?.request(
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
      if (manager) manager.request(name, { ifAvailable: true }, lock => lock && task()).catch(ignore)
      else task()
    },
  }
}
