import { html } from 'ghtml'
import { layOut, type Page, type PageFrame } from './layout.ts'

/** What a magic link shows in the browser that asked for it: the button that signs in. Opening a link changes
 *  nothing, since scanners of mail open links too. */
export function confirmLinkPage(
  frame: PageFrame,
  content: { action: string; email: string; clientName: string | null },
): Page {
  const { link, signIn } = frame.texts
  const title = link.confirmTitle(frame.tenant.name)
  return layOut(frame, {
    title,
    content: html`<section class="card">
<h1>${title}</h1>
!${content.clientName === null ? '' : html`<p class="soft to">${signIn.toContinue(content.clientName)}</p>`}
<p class="soft">${link.confirm} <strong>${content.email}</strong></p>
<form method="post" action="${content.action}">
<button autofocus>${link.confirmButton}</button>
</form>
</section>`,
  })
}

/** What a magic link shows in any other browser. */
export function linkElsewherePage(frame: PageFrame, content: { action: string }): Page {
  const { link } = frame.texts
  return layOut(frame, {
    title: link.elsewhereTitle,
    content: html`<section class="card">
<h1>${link.elsewhereTitle}</h1>
<p class="soft">${link.elsewhere}</p>
<form method="post" action="${content.action}">
<button autofocus>${link.elsewhereButton}</button>
</form>
</section>`,
  })
}

/** Shows the code to type into the window that asked. */
export function linkCodePage(frame: PageFrame, content: { code: string }): Page {
  const { link } = frame.texts
  return layOut(frame, {
    title: link.codeTitle,
    content: html`<section class="card">
<h1>${link.codeTitle}</h1>
<p class="soft">${link.code}</p>
<strong class="digits">${content.code}</strong>
<p class="soft small">${link.warning}</p>
</section>`,
  })
}

/** For a link that was used, has expired, or never was one. */
export function deadLinkPage(frame: PageFrame): Page {
  const { link } = frame.texts
  return layOut(frame, {
    title: link.deadTitle,
    content: html`<section class="card">
<h1>${link.deadTitle}</h1>
<p class="soft">${link.dead}</p>
<p><a class="button" href="/account">${frame.texts.account.title}</a></p>
</section>`,
  })
}
