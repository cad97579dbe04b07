import { html } from 'ghtml'
import type { LoginMethod } from '../../tenancy/index.ts'
import { faultLine, layOut, type Page, type PageFrame } from './layout.ts'
import { byMethods } from './sign-in-page.ts'

/** What can be wrong with a code that was typed. */
export type CodeFault = 'malformed' | 'wrong' | 'ended' | 'endedForNow' | 'noCode'

/** "Check your mail", with the field for the code. */
export function mailSentPage(
  frame: PageFrame,
  content: {
    email: string
    methods: readonly LoginMethod[]
    /** Where the code goes, where another mail is asked for, and where the address is. */
    codeAction: string
    againAction: string
    backHref: string
    fault?: CodeFault
  },
): Page {
  const { mailSent } = frame.texts
  const fault = content.fault && mailSent[content.fault]
  const invalid = fault ? ' aria-invalid="true" aria-describedby="fault"' : ''
  return layOut(frame, {
    title: mailSent.title,
    content: html`<section class="card">
<h1>${mailSent.title}</h1>
<p class="soft">${mailSent.sentTo} <strong>${content.email}</strong>. ${byMethods(content.methods, mailSent)}</p>
!${faultLine(fault, 'fault')}
<form method="post" action="${content.codeAction}">
<label for="code">${mailSent.code}</label>
<input class="code" id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" required autofocus maxlength="12"!${invalid}>
<button>${mailSent.submit}</button>
</form>
<hr class="rule">
<form method="post" action="${content.againAction}" class="soft small">
<input type="hidden" name="email" value="${content.email}">
${mailSent.nothing} <button class="line">${mailSent.again}</button>.
</form>
<p class="small"><a href="${content.backHref}">${mailSent.otherAddress}</a></p>
</section>`,
  })
}
