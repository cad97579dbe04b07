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

/** A provider's button. */
export interface OfferedProvider {
  id: string
  name: string
}

/** One button for each provider that is offered. */
function providerForm(
  { texts: { signIn } }: PageFrame,
  action: string,
  providers: readonly OfferedProvider[],
): string {
  const buttons = providers.map(
    ({ id, name }) =>
      html`<button class="second" name="provider" value="${id}">${signIn.with(name)}</button>`,
  )
  return html`<form method="post" action="${action}">
!${buttons.join('\n')}
</form>`
}

function mailForm(
  { texts: { signIn } }: PageFrame,
  { start, email, methods, fault }: Pick<SignInContent, 'start' | 'email' | 'methods' | 'fault'>,
): string {
  const invalid = fault === 'invalid' ? ' aria-invalid="true" aria-describedby="fault"' : ''
  return html`<form method="post" action="${start}">
<label for="email">${signIn.email}</label>
<input id="email" name="email" type="email" autocomplete="email" required autofocus maxlength="254" value="${email}"!${invalid}>
<button>${signIn.send}</button>
</form>
<p class="soft small">${byMethods(methods, signIn)}</p>`
}

export interface SignInContent {
  /** Where the form with the address goes, and where that with the providers. */
  start: string
  social: string
  /** The name of the client that asked. */
  clientName: string | null
  /** By mail. */
  methods: readonly LoginMethod[]
  providers: readonly OfferedProvider[]
  /** What stands in the field. */
  email: string
  fault?: 'invalid' | { text: string }
}

/** Asks for the mail address, and offers the providers that the tenant has (interface 4.6, behaviour 1). */
export function signInPage(frame: PageFrame, content: SignInContent): Page {
  const { signIn } = frame.texts
  const { clientName, methods, providers, fault } = content
  const title = signIn.title(frame.tenant.name)
  const byMail = methods.length > 0
  const withProviders = providers.length > 0
  return layOut(frame, {
    title,
    content: html`<section class="card">
<h1>${title}</h1>
!${clientName === null ? '' : html`<p class="soft to">${signIn.toContinue(clientName)}</p>`}
!${faultLine(typeof fault === 'object' ? fault.text : fault && signIn[fault], 'fault')}
!${byMail ? mailForm(frame, content) : ''}
!${byMail && withProviders ? html`<p class="or soft">${signIn.or}</p>` : ''}
!${withProviders ? providerForm(frame, content.social, providers) : ''}
</section>`,
  })
}
