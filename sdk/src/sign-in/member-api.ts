import type { Member } from './api.ts'
import type { Page } from './page.ts'
import { request } from './request.ts'
import { createShare } from './share.ts'

const TIMEOUT_MS = 5_000

const ask = ({ origin }: Page, path: string, method: string, token: string) =>
  request<{ data: Member }>(`${origin}/api/sdk/${path}`, TIMEOUT_MS, {
    method,
    headers: { authorization: `Bearer ${token}` },
    // Whoever signs out may leave at once.
    keepalive: true,
  })

/** `member`: whose token the page sees, asked once for all who want to know meanwhile. */
export function createFindMember(page: Page): () => Promise<Member | null | undefined> {
  const share = createShare<Member | null | undefined>()

  async function find(token: string): Promise<Member | null | undefined> {
    const { status, body } = await ask(page, 'member', 'GET', token)
    return status === 401 ? null : body?.data
  }

  return async () => {
    const token = page.token()
    return token ? share(token, () => find(token)) : null
  }
}

/** Ends the session of the token that the page sees. Whether the server says that it is over. */
export async function endSession(page: Page): Promise<boolean> {
  const token = page.token()
  const { status } = token ? await ask(page, 'sign-out', 'POST', token) : { status: 0 }
  return status === 204 || status === 401
}
