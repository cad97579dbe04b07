import { html } from 'ghtml'
import { layOut, type Page, type PageFrame } from './layout.ts'

/** Asks a member whether to sign out of this browser, as an application had them come for that. */
export function signOutPage(
  frame: PageFrame,
  content: {
    action: string
    /** The application that asks; null where it is not known. */
    clientName: string | null
    /** The member's. */
    email: string
    fields: readonly (readonly [name: string, value: string])[]
  },
): Page {
  const { signOut, continueAs } = frame.texts
  const { action, clientName, email, fields } = content
  const hidden = fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  return layOut(frame, {
    title: signOut.title(frame.tenant.name),
    content: html`<section class="card">
<h1>${signOut.title(frame.tenant.name)}</h1>
!${clientName === null ? '' : html`<p class="soft">${signOut.asked(clientName)}</p>`}
<p class="soft">${continueAs.signedInAs} <strong>${email}</strong>.</p>
<form method="post" action="${action}">
!${hidden.join('\n')}
<button>${signOut.go}</button>
</form>
<p><a href="/account">${signOut.stay}</a></p>
</section>`,
  })
}
