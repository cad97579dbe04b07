/** How a page came to show another address without being loaded. */
export type Navigation = 'push' | 'replace' | 'traverse'

/**
 * Says whether a change of the address within a page counts as a view: a new path or query does, a new
 * fragment does not. A replaced address counts for its path alone, as applications replace the query
 * while a reader types or sets filters.
 */
export function createViewRule(firstUrl: string): (url: string, navigation: Navigation) => boolean {
  let last = new URL(firstUrl)
  return (url, navigation) => {
    const next = new URL(url)
    const newPath = next.pathname !== last.pathname
    const newQuery = next.search !== last.search
    last = next
    return newPath || (newQuery && navigation !== 'replace')
  }
}

/**
 * Calls `onView` at each navigation of the window that counts as a view, and when the page is restored. `guard`
 * keeps what fails here from the page, whose `pushState` must come back to it as ever.
 */
export function watchPageViews(
  window: Window,
  onView: () => void,
  guard: <Given extends unknown[]>(run: (...given: Given) => void) => (...given: Given) => void,
): void {
  const { history } = window
  const counts = createViewRule(window.location.href)
  const moved = guard((navigation: Navigation) => {
    if (counts(window.location.href, navigation)) onView()
  })
  const watch = (method: 'pushState' | 'replaceState', navigation: Navigation) => {
    const original = history[method]
    history[method] = function (...given) {
      original.apply(this, given)
      moved(navigation)
    }
  }
  watch('pushState', 'push')
  watch('replaceState', 'replace')
  window.addEventListener('popstate', () => moved('traverse'))
  window.addEventListener(
    'pageshow',
    guard((event: PageTransitionEvent) => {
      if (event.persisted) onView()
    }),
  )
}
