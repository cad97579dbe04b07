import type { SilentAnswer, SilentSignInOptions } from './api.ts'
import type { Page } from './page.ts'
import { request, TIMEOUT } from './request.ts'
import { createShare } from './share.ts'

const MINUTE_MS = 60_000

const noteOfLimit = (clientId: string): string => `limited:${clientId}`
/** The note that nobody was signed in. */
export const noteOfNo = (clientId: string): string => `no:${clientId}`

/** Notes that nobody was signed in while the page saw the token of this mark: for a minute, unless that changes. */
export const noteNo = ({ notes }: Page, clientId: string, mark: string): void =>
  notes.write(noteOfNo(clientId), MINUTE_MS, mark)

/** Whether nobody was signed in a moment ago. */
export const isNoted = ({ notes, mark }: Page, clientId: string): boolean =>
  notes.read(noteOfNo(clientId)) === mark()

/** What the session probe says (interface 2.7). */
interface Probed {
  status: string
  code?: string
  expires_in: number
}

/** Asks the session probe (interface 4.8), whatever was noted: a plain GET with credentials, which needs no preflight. */
export async function askSession(
  page: Page,
  { clientId, timeoutMs = 5_000 }: SilentSignInOptions,
): Promise<SilentAnswer> {
  const mark = page.mark()
  const { status, body, retryAfter } = await request<Probed>(
    `${page.origin}/oauth/session?client_id=${encodeURIComponent(clientId)}`,
    timeoutMs,
    { credentials: 'include' },
  )
  if (status === 429) {
    // The server counts by the minute, and says how much of it is left.
    page.notes.write(noteOfLimit(clientId), Number(retryAfter) * 1_000 || MINUTE_MS, '')
    return { status: 'unknown', reason: 'limited' }
  }
  if (body?.code) return { status: 'authenticated', code: body.code, expiresInS: body.expires_in }
  if (body?.status === 'unauthenticated') {
    noteNo(page, clientId, mark)
    return { status: 'unauthenticated' }
  }
  return { status: 'unknown', reason: status === TIMEOUT ? 'timeout' : 'failed' }
}

/** `silentSignIn`: one request at a time, none while the server wants to be left alone or has said no a moment ago. */
export function createSilentSignIn(
  page: Page,
): (asked?: Partial<SilentSignInOptions>) => Promise<SilentAnswer> {
  const share = createShare<SilentAnswer>()
  let last: Promise<unknown> = Promise.resolve()

  async function answer(asked: SilentSignInOptions): Promise<SilentAnswer> {
    await last
    if (page.notes.read(noteOfLimit(asked.clientId)) !== undefined)
      return { status: 'unknown', reason: 'limited' }
    return isNoted(page, asked.clientId) ? { status: 'unauthenticated' } : askSession(page, asked)
  }

  return async asked => {
    const clientId = asked?.clientId
    if (!clientId) return { status: 'unknown', reason: 'no_client_id' }
    last = share(clientId, () => answer({ ...asked, clientId }))
    return last as Promise<SilentAnswer>
  }
}
