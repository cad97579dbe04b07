import { html } from 'ghtml'
import type { ReceivedMail } from '../foundation/mail/index.ts'
import { toIso } from '../foundation/time.ts'
import { styleOf } from './pages/style.ts'

const LINK = /^https?:\/\/\S+$/

/** A mail's text, with links that can be opened. */
const linked = (text: string): string =>
  text
    .split('\n')
    .map(line => (LINK.test(line) ? html`<a href="${line}">${line}</a>` : html`${line}`))
    .join('\n')

/** A mail as it stands in a frame: what it links to refuses to be framed, and opens in a tab of its own. */
const inFrame = (written: string): string =>
  written.replace(/<head>|$/, found => `${found}<base target="_blank">`)

const mailItem = ({
  from,
  to,
  subject,
  text,
  html: written,
  receivedAt,
}: ReceivedMail): string => html`<section class="card">
<h2>${subject}</h2>
<p class="soft small">${toIso(receivedAt)} · ${from} → ${to}</p>
<pre>!${linked(text)}</pre>
<details><summary>As mail programs show it</summary><iframe sandbox="allow-popups allow-popups-to-escape-sandbox" title="${subject}" srcdoc="${inFrame(written)}"></iframe></details>
</section>`

const css = `pre{white-space:pre-wrap;font:.9rem/1.5 ui-monospace,Menlo,Consolas,monospace;margin:0 0 1rem}
iframe{width:100%;height:34rem;border:1px solid var(--line);border-radius:.5rem;margin-top:.5rem;background:#fff}`

/** What was sent while there is no mail server, for developers. */
export function mailboxPage(mails: readonly ReceivedMail[]): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mailbox · Usher</title>
<link rel="icon" href="data:,">
<style>!${styleOf(null).css}body{justify-content:flex-start}!${css}</style>
</head>
<body>
<main class="wide">
<h1>Mailbox</h1>
<p class="soft">Without USHER_SMTP_URL, mails land here and nowhere else. The newest is on top; the same as JSON is at <a href="/dev/mailbox.json">/dev/mailbox.json</a>.</p>
!${mails.length === 0 ? '<p>No mail yet.</p>' : mails.map(mailItem).join('')}
</main>
</body>
</html>
`
}
