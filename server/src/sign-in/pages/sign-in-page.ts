import { html } from 'ghtml'
import type { LoginMethod } from '../../tenancy/index.ts'
import { faultLine, layOut, type Page, type PageFrame } from './layout.ts'

/** The text that fits the login methods of a tenant. */
export function byMethods<T>(
  methods: readonly LoginMethod[],
  texts: { both: T; linkOnly: T; codeOnly: T },
): T {
  if (!methods.includes('one_time_code')) return texts.linkOnly
  return methods.includes('magic_link') ? texts.both : texts.codeOnly
}

/** Asks for the mail address. */
export function signInPage(
  frame: PageFrame,
  content: {
    /** Where the form goes. */
    action: string
    /** The name of the client that asked. */
    clientName: string | null
    methods: readonly LoginMethod[]
    /** What stands in the field. */
    email: string
    fault?: 'invalid'
  },
): Page {
  const { signIn } = frame.texts
  const title = signIn.title(frame.tenant.name)
  const fault = content.fault && signIn[content.fault]
  const invalid = fault ? ' aria-invalid="true" aria-describedby="fault"' : ''
  return layOut(frame, {
    title,
    content: html`<section class="card">
<h1>${title}</h1>
!${content.clientName === null ? '' : html`<p class="soft to">${signIn.toContinue(content.clientName)}</p>`}
!${faultLine(fault, 'fault')}
<form method="post" action="${content.action}">
<label for="email">${signIn.email}</label>
<input id="email" name="email" type="email" autocomplete="email" required autofocus maxlength="254" value="${content.email}"!${invalid}>
<button>${signIn.send}</button>
</form>
<p class="soft small">${byMethods(content.methods, signIn)}</p>
</section>`,
  })
}
