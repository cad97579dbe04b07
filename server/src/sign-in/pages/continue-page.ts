import { html } from 'ghtml'
import { layOut, type Page, type PageFrame } from './layout.ts'

/** Asks somebody who is signed in already whether to go on as this member. */
export function continuePage(
  frame: PageFrame,
  content: {
    action: string
    clientName: string
    member: { id: string; email: string; name: string | null }
  },
): Page {
  const { continueAs, signIn } = frame.texts
  const { id, email, name } = content.member
  // Short enough for a button; the whole address stands above it.
  const localPart = email.slice(0, email.lastIndexOf('@'))
  return layOut(frame, {
    title: continueAs.title,
    content: html`<section class="card">
<h1>${continueAs.title}</h1>
<p class="soft to">${signIn.toContinue(content.clientName)}</p>
<p class="soft">${continueAs.signedInAs} <strong>${email}</strong>.</p>
<form method="post" action="${content.action}">
<input type="hidden" name="member" value="${id}">
<button name="action" value="continue" autofocus>${continueAs.go(name ?? localPart)}</button>
<button name="action" value="other" class="second">${continueAs.other}</button>
</form>
</section>`,
  })
}
