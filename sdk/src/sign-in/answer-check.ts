import type { Page } from './page.ts'
import { askSession } from './silent-sign-in.ts'

/** Answers the check page of the silent sign-in doctor, which opens a page of the site with `#usher-check={client_id}` in its
 *  address: whether the probe works from here. Told to a window of the tenant's alone, and never the code. */
export async function answerCheck(
  page: Page,
  hash: string,
  opener: Pick<Window, 'postMessage'> | null,
): Promise<void> {
  const named = hash.split('#usher-check=')[1]
  if (!named || !opener) return
  const clientId = decodeURIComponent(named)
  const { status, reason } = await askSession(page, { clientId })
  const outcome = reason === 'limited' ? reason : reason ? 'failed' : status
  opener.postMessage({ type: 'usher-check', clientId, outcome, hasCookie: !!page.token() }, page.origin)
}
