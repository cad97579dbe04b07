import { randomBytes } from 'node:crypto'

/** What a site's server knows of browsers. */
export interface Visits<Visit> {
  /** The visit that a Cookie header names. */
  find(cookieHeader: string | undefined): Visit | undefined
  /** Keeps a visit in the place of what the browser had. Always under a new name, so that nobody can hand a browser one
   *  that he knows. Gives the value of Set-Cookie. */
  replace(cookieHeader: string | undefined, visit: Visit): string
}

const MAX_VISITS = 10_000
const LIFETIME_MS = 24 * 60 * 60_000

/** Visits in the memory of this process; what is kept for good belongs into a database. `secure`: under https. */
export function createVisits<Visit>({
  cookieName,
  secure,
  nowMs = Date.now,
}: {
  cookieName: string
  secure: boolean
  nowMs?: () => number
}): Visits<Visit> {
  const name = secure ? `__Host-${cookieName}` : cookieName
  const kept = new Map<string, { visit: Visit; untilMs: number }>()

  function idIn(cookieHeader: string | undefined): string | undefined {
    const pairs = cookieHeader?.split(';').map(pair => pair.trim().split('=')) ?? []
    return pairs.find(([key]) => key === name)?.[1]
  }

  return {
    find(cookieHeader) {
      const found = kept.get(idIn(cookieHeader) ?? '')
      return found && found.untilMs > nowMs() ? found.visit : undefined
    },
    replace(cookieHeader, visit) {
      kept.delete(idIn(cookieHeader) ?? '')
      // The oldest go first, live or not.
      for (const [id] of kept) {
        if (kept.size < MAX_VISITS) break
        kept.delete(id)
      }
      const id = randomBytes(32).toString('base64url')
      kept.set(id, { visit, untilMs: nowMs() + LIFETIME_MS })
      return `${name}=${id}; Path=/; Max-Age=${LIFETIME_MS / 1_000}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
    },
  }
}
