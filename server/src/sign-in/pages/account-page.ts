import { html } from 'ghtml'
import { maxNameLength, recognizeDevice } from '../../members/index.ts'
import type { LinkedAccounts } from '../social/linked-accounts.ts'
import { faultLine, layOut, type Page, type PageFrame } from './layout.ts'

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

/** What was done just now. */
export const accountNotices = ['ended', 'linked', 'unlinked', 'named'] as const
export type AccountNotice = (typeof accountNotices)[number]

export interface AccountContent extends LinkedAccounts {
  member: { email: string; name: string | null; createdAt: Date }
  sessions: readonly SessionLine[]
  now: Date
  /** Proves to the forms' addresses that the form was on this page. */
  formToken: string
  notice?: AccountNotice
  fault?: string
  /** A name that was typed, and is what `fault` is about. */
  wrongName?: string
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

function accountItem(
  { texts: { account } }: PageFrame,
  { id, providerName, label, canUnlink }: LinkedAccounts['accounts'][number],
  token: string,
): string {
  return html`<li>
<div>
<p><strong>${providerName}</strong></p>
<p class="soft small">${label}</p>
</div>
!${
    canUnlink
      ? html`<form method="post" action="/account/social/unlink">
<input type="hidden" name="form" value="${token}">
<button class="second" name="account" value="${id}" aria-label="${account.unlinkLabel(`${providerName}, ${label}`)}">${account.unlink}</button>
</form>`
      : html`<p class="soft small">${account.onlyWayIn}</p>`
  }
</li>`
}

/** The accounts at providers, where the tenant offers any or the member has some. */
function accountsCard(frame: PageFrame, { accounts, linkable, formToken }: AccountContent): string {
  const { account } = frame.texts
  if (accounts.length === 0 && linkable.length === 0) return ''
  const buttons = linkable.map(
    ({ id, name }) =>
      html`<button class="second" name="provider" value="${id}">${account.link(name)}</button>`,
  )
  return html`<section class="card" aria-labelledby="accounts">
<h2 id="accounts">${account.accounts}</h2>
<p class="soft">${account.accountsText}</p>
!${
    accounts.length === 0
      ? ''
      : html`<ul class="sessions">
!${accounts.map(one => accountItem(frame, one, formToken)).join('')}
</ul>`
  }
!${
    linkable.length === 0
      ? ''
      : html`<form class="choices" method="post" action="/account/social/link">
<input type="hidden" name="form" value="${formToken}">
!${buttons.join('\n')}
</form>`
  }
</section>`
}

function nameForm(
  { texts: { account } }: PageFrame,
  { member, formToken, wrongName }: AccountContent,
): string {
  const invalid = wrongName === undefined ? '' : ' aria-invalid="true" autofocus'
  const describedBy = wrongName === undefined ? 'name-text' : 'fault name-text'
  return html`<form method="post" action="/account/name">
<input type="hidden" name="form" value="${formToken}">
<label for="name">${account.name}</label>
<input id="name" name="name" type="text" autocomplete="name" maxlength="${maxNameLength}" value="${wrongName ?? member.name ?? ''}" aria-describedby="!${describedBy}"!${invalid}>
<p class="soft small" id="name-text">${account.nameText}</p>
<button class="second">${account.saveName}</button>
</form>`
}

/** The member's own page: profile, accounts at providers, sessions, signing out. */
export function accountPage(frame: PageFrame, content: AccountContent): Page {
  const { account } = frame.texts
  const { member, sessions, formToken, notice, fault } = content
  return layOut(frame, {
    title: account.title,
    wide: true,
    content: html`!${notice ? html`<p class="done" role="status">${account[notice]}</p>` : ''}
!${faultLine(fault, 'fault')}
<section class="card">
<h1>${account.title}</h1>
<dl>
<dt>${account.email}</dt><dd>${member.email}</dd>
<dt>${account.since}</dt><dd>${day(member.createdAt, frame.language)}</dd>
</dl>
<hr class="rule">
!${nameForm(frame, content)}
<form method="post" action="/account/sign-out">
<input type="hidden" name="form" value="${formToken}">
<button class="second">${account.signOut}</button>
</form>
</section>
!${accountsCard(frame, content)}
<section class="card" aria-labelledby="sessions">
<h2 id="sessions">${account.sessions}</h2>
<p class="soft">${account.sessionsText}</p>
<ul class="sessions">
!${sessions.map(session => sessionItem(frame, session, content)).join('')}
</ul>
</section>`,
  })
}
