import { html } from 'ghtml'
import * as client from 'openid-client'
import type { Member, SignedIn } from './sign-in.ts'

interface Frame {
  /** What the publisher is called. */
  publisher: string
}

function layout({ title, content }: { title: string; content: string }): string {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${title}</title>
  <link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%23142b3a'/%3E%3Cpath d='M4 23 21 9v14z' fill='%23f4b942'/%3E%3Ccircle cx='24' cy='16' r='3' fill='%23f4b942'/%3E%3C/svg%3E">
  <link rel="stylesheet" href="/style.css">
</head>
<body>
  <header class="top"><a href="/">Saltern <span>Pictures</span></a></header>
  <main>!${content}</main>
  <footer>Saltern Pictures is an example: the house and its films are invented, the sign-in is real.</footer>
</body>
</html>
`
}

const notes = {
  'signed out': 'You are signed out, and we have given your token back.',
  elsewhere: 'You have signed out elsewhere, so you are signed out here too.',
  ended: 'Your sign-in here has ended. Perhaps you ended it on your account page.',
}

const films = [
  { day: 'Monday', title: 'The Last Ferry', about: 'A pilot, a fog, a night.', minutes: 94 },
  { day: 'Wednesday', title: 'Salt and Bread', about: 'Three sisters keep a bakery.', minutes: 112 },
  { day: 'Saturday', title: 'Signals', about: 'What the lighthouse heard.', minutes: 87 },
]

/** For who is not signed in. */
export function homePage({ publisher, note }: Frame & { note?: keyof typeof notes | undefined }): string {
  return layout({
    title: 'Saltern Pictures',
    content: html`!${note ? html`<p class="note" role="status">${notes[note]}</p>` : ''}
<section class="hero">
  <p class="eyebrow">The cinema by the salt works</p>
  <h1>Readers of ${publisher} see every film for&nbsp;free</h1>
  <p class="lead">Sign in with your ${publisher} account, and your ticket is on the house. We learn your name and your mail
    address, and nothing else.</p>
  <a class="button" href="/sign-in">Sign in with ${publisher}</a>
</section>
<section aria-labelledby="week">
  <h2 id="week">This week</h2>
  <ul class="films">!${films.map(
    ({ day, title, about, minutes }) => html`
    <li><p class="eyebrow">${day}</p><h3>${title}</h3><p>${about} ${minutes}&nbsp;min</p></li>`,
  )}
  </ul>
</section>`,
  })
}

/** What claims mean in any of the publisher's tokens. */
const meanings: Record<string, string> = {
  iss: 'who issued the token',
  sub: 'the member: the id to keep',
  azp: 'the client that it was issued to',
  iat: 'when it was issued',
  exp: 'when it ends',
}

/** What each kind of token is called, and what its other claims mean: of an access token (RFC 9068 2.2), and of an id_token
 *  (OpenID Connect Core 2). */
const tokens: Record<'access' | 'id', { name: string; meanings: Record<string, string> }> = {
  access: {
    name: 'access token',
    meanings: {
      ...meanings,
      aud: 'whom it is for: the publisher’s API, and us',
      client_id: 'the same as azp, as RFC 9068 names it',
      sid: 'its session, which the member can end',
      jti: 'the token’s own id',
    },
  },
  id: {
    name: 'id_token',
    meanings: {
      ...meanings,
      aud: 'whom it is for: us alone',
      sid: 'the session of this browser at the publisher, which logout tokens name',
      auth_time: 'when the member signed in at the publisher',
      nonce: 'what we sent along, so that nobody can bring us an answer to another question',
      at_hash: 'binds it to the access token that came beside it',
      email: 'the member’s mail address, as we asked for email',
      email_verified: 'whether it was seen to be the member’s',
      name: 'what the member is called, as we asked for profile',
      updated_at: 'when one of these changed last',
    },
  },
}

const timeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

function showClaim(name: string, value: unknown): string {
  if (['iat', 'exp', 'auth_time', 'updated_at'].includes(name) && typeof value === 'number')
    return `${value} (${timeFormat.format(value * 1_000)})`
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** For a member. */
export function memberPage({
  publisher,
  signedIn: { proof, header, claims },
  member,
}: Frame & { signedIn: SignedIn; member: Member }): string {
  const { name: tokenName, meanings } = tokens[header.typ === 'at+jwt' ? 'access' : 'id']
  const rows = Object.entries(claims).map(
    ([name, value]) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${showClaim(name, value)}</td><td>${meanings[name] ?? ''}</td></tr>`,
  )
  return layout({
    title: 'Your ticket – Saltern Pictures',
    content: html`<section class="ticket" aria-labelledby="ticket">
  <div>
    <p class="eyebrow">Admit one</p>
    <h1 id="ticket">Welcome, ${member.name ?? member.email.split('@')[0] ?? ''}</h1>
    <p data-email>${member.email}</p>
    <p class="soft">Reader of ${publisher}${member.since === null ? '' : ` since ${timeFormat.format(new Date(member.since))}`}</p>
  </div>
  <form method="post" action="/sign-out" class="leave">
    <button>Sign out</button>
    <button formaction="/sign-out?everywhere">Sign out of ${publisher} too</button>
  </form>
</section>
<section aria-labelledby="token">
  <h2 id="token">The ${tokenName} that ${publisher} gave us</h2>
  <p>Signed with <code>${header.alg}</code> by the key <code>${header.kid ?? ''}</code>, of type <code>${header.typ ?? ''}</code>. The
    signature, the issuer and the audience were verified before anything was believed.</p>
  <div class="table"><table>
    <thead><tr><th scope="col">Claim</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead>
    <tbody>!${rows}</tbody>
  </table></div>
  <details><summary>As it was sent</summary><pre class="token">${proof}</pre></details>
</section>
<section aria-labelledby="member">
  <h2 id="member">What ${publisher} says of you</h2>
  <p><code>${member.asked}</code> with the access token, asked each time that you open this page:</p>
  <pre data-answer>${JSON.stringify(member.answer, undefined, 2)}</pre>
</section>`,
  })
}

/** What went wrong, as far as a visitor or a developer can do something about it. */
export type Fault = { kind: 'not begun' | 'foreign' | 'refused' | 'trouble'; detail?: string }

const faults: Record<Fault['kind'], string> = {
  'not begun': 'This sign-in was not begun in this browser, or it is over already.',
  foreign: 'This form was not sent from our own page.',
  refused: 'The sign-in could not be completed.',
  trouble: 'We could not reach the publisher. Please try again in a moment.',
}

/** What an error of the sign-in means: everything that the publisher, or a check of the library, said no to is `refused`. */
export function describeFault(error: unknown): Fault {
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError)
    return { kind: 'refused', detail: [error.error, error.error_description].filter(Boolean).join(': ') }
  const isRefused = error instanceof client.ClientError && !/TIMEOUT|RESPONSE_IS_NOT/.test(error.code ?? '')
  const detail = error instanceof Error ? error.message : String(error)
  return { kind: isRefused ? 'refused' : 'trouble', detail }
}

export function faultPage({ fault: { kind, detail } }: Frame & { fault: Fault }): string {
  return layout({
    title: 'This did not work – Saltern Pictures',
    content: html`<section class="hero">
  <h1>This did not work</h1>
  <p class="lead" role="alert">${faults[kind]}</p>
  !${detail ? html`<details><summary>For developers</summary><pre>${detail}</pre></details>` : ''}
  <a class="button" href="/sign-in">Sign in again</a>
</section>`,
  })
}

export function missingPage(_frame: Frame): string {
  return layout({
    title: 'Not found – Saltern Pictures',
    content: html`<section class="hero">
  <h1>No film at this address</h1>
  <p class="lead">Perhaps it was on last week. The <a href="/">front page</a> has the programme.</p>
</section>`,
  })
}
