import { html } from 'ghtml'
import { recognizeDevice } from '../../members/index.ts'
import { layOut, type Page, type PageFrame } from './layout.ts'

/** A session as the member sees it. */
export interface SessionLine {
  id: string
  /** The name of the client of an integration's session; null for a browser's. */
  clientName: string | null
  userAgent: string
  address: string | null
  createdAt: Date
  lastSeenAt: Date
  /** Of the browser that asks. */
  isCurrent: boolean
}

export interface AccountContent {
  member: { email: string; name: string | null; createdAt: Date }
  sessions: readonly SessionLine[]
  now: Date
  /** Proves to the forms' addresses that the form was on this page. */
  formToken: string
  /** A session was ended just now. */
  hasEnded: boolean
}

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How long ago something was, in words that need no time zone. */
function ago(then: Date, now: Date, language: string): string {
  const seconds = Math.max(0, (now.getTime() - then.getTime()) / 1_000)
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  for (const [unit, length] of UNITS)
    if (seconds >= length) return words.format(-Math.floor(seconds / length), unit)
  return words.format(0, 'second')
}

const day = (time: Date, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(time)

function sessionItem(frame: PageFrame, session: SessionLine, { now, formToken }: AccountContent): string {
  const { texts, language } = frame
  const { account } = texts
  const { browser, system } = recognizeDevice(session.userAgent)
  const name =
    session.clientName !== null
      ? account.application(session.clientName)
      : browser && system
        ? account.device(browser, system)
        : account.unknownDevice
  const place = session.address === null ? '' : ` ${account.from(session.address)}`
  return html`<li>
<div>
<p><strong>${name}</strong>!${session.isCurrent ? html`<span class="here">${account.thisBrowser}</span>` : ''}</p>
<p class="soft small">${account.lastSeen(ago(session.lastSeenAt, now, language))}${place}</p>
<p class="soft small">${account.signedIn(day(session.createdAt, language))}</p>
</div>
!${
    session.isCurrent
      ? ''
      : html`<form method="post" action="/account/sessions/end">
<input type="hidden" name="form" value="${formToken}">
<button class="second" name="session" value="${session.id}" aria-label="${account.endLabel(name)}">${account.end}</button>
</form>`
  }
</li>`
}

/** The member's own page: profile, sessions, signing out. */
export function accountPage(frame: PageFrame, content: AccountContent): Page {
  const { account } = frame.texts
  const { member, sessions, formToken } = content
  return layOut(frame, {
    title: account.title,
    wide: true,
    content: html`!${content.hasEnded ? html`<p class="done" role="status">${account.ended}</p>` : ''}
<section class="card">
<h1>${account.title}</h1>
<dl>
<dt>${account.email}</dt><dd>${member.email}</dd>
!${member.name === null ? '' : html`<dt>${account.name}</dt><dd>${member.name}</dd>`}
<dt>${account.since}</dt><dd>${day(member.createdAt, frame.language)}</dd>
</dl>
<hr class="rule">
<form method="post" action="/account/sign-out">
<input type="hidden" name="form" value="${formToken}">
<button class="second">${account.signOut}</button>
</form>
</section>
<section class="card" aria-labelledby="sessions">
<h2 id="sessions">${account.sessions}</h2>
<p class="soft">${account.sessionsText}</p>
<ul class="sessions">
!${sessions.map(session => sessionItem(frame, session, content)).join('')}
</ul>
</section>`,
  })
}
