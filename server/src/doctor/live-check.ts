import type { Database } from '../foundation/database/index.ts'
import type { Secrets } from '../foundation/secrets/index.ts'
import { cookieValues, type Members } from '../members/index.ts'
import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import { frameFor, pageAnswer, problemPage } from '../sign-in/index.ts'
import { examineSilentSignIn } from './examine-silent-sign-in.ts'
import { liveCheckPage } from './live-check-page.ts'
import { openTicket } from './live-check-ticket.ts'
import type { BrowserState } from './live-outcomes.ts'

export interface LiveCheckParts {
  db: Database
  members: Pick<Members, 'findBrowserSession'>
  secrets: Secrets
  /** The platform's address. */
  publicUrl: URL
  cookieName: string
  /** Unix milliseconds. */
  nowMs(): number
}

async function stateOf(
  { members, cookieName }: LiveCheckParts,
  browser: BrowserFacts,
): Promise<BrowserState> {
  const cookies = cookieValues(browser.cookieHeader, cookieName).length
  if (cookies === 0) return { kind: 'none' }
  const session = await members.findBrowserSession(browser)
  return session ? { kind: 'signed-in', cookies, email: session.member.email } : { kind: 'stale', cookies }
}

const NEW_ONE =
  'Make a new one with “npx usher doctor silent”, or take links.live_check of the administration API’s report.'

/** 410 for a ticket whose hour is over, 404 for what is none. */
function showNoTicket(browser: BrowserFacts, status: 404 | 410): PageAnswer {
  const title = status === 410 ? 'This check is over' : 'There is no such check'
  const text =
    status === 410
      ? 'The address of a check is good for an hour.'
      : 'The address is not complete, or was made for another tenant.'
  const frame = { ...frameFor(browser), language: 'en' } as const
  return pageAnswer(problemPage(frame, { title, text, advice: NEW_ONE }), { status })
}

/** 503 while the database is away. */
export function showUnavailable(browser: BrowserFacts): PageAnswer {
  const page = problemPage(
    { ...frameFor(browser), language: 'en' },
    {
      title: 'Not available',
      text: 'The check cannot look at the settings at the moment. Try again shortly.',
    },
  )
  return pageAnswer(page, { status: 503, retryAfterS: 1 })
}

/** The page of a live check: what the settings say now, and what this browser sent (interface 5). Shows strangers
 *  nothing: it takes a ticket, which the doctor's command and the API give. */
export async function showLiveCheck(
  parts: LiveCheckParts,
  browser: BrowserFacts,
  ticket: string,
): Promise<PageAnswer> {
  const { tenant } = browser
  const asked = openTicket({ secrets: parts.secrets, nowMs: parts.nowMs() }, tenant.id, ticket)
  if (asked === undefined) return showNoTicket(browser, 404)
  if (asked === 'expired') return showNoTicket(browser, 410)
  const [report, state] = await Promise.all([
    examineSilentSignIn(parts, tenant, asked),
    stateOf(parts, browser),
  ])
  return pageAnswer(liveCheckPage(frameFor(browser), report, state))
}
