import { createHash } from 'node:crypto'
import { html } from 'ghtml'
import { layOut, type Page, type PageFrame } from './layout.ts'

/** Posts the form on by itself. */
const SCRIPT = 'document.forms[0].submit()'
const SOURCE = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`

/** Posts what a provider has sent in a form on to an address of ours. The form came from another site, and so without
 *  cookies; what this page sends is our own. Without a script the button does it. */
export function returnPage(
  frame: PageFrame,
  content: { action: string; providerName: string; fields: readonly (readonly [string, string])[] },
): Page {
  const { social } = frame.texts
  const fields = content.fields.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const page = layOut(frame, {
    title: social.returnTitle,
    content: html`<section class="card">
<h1>${social.returnTitle}</h1>
<p class="soft">${social.returnText(content.providerName)}</p>
<form method="post" action="${content.action}">
!${fields.join('\n')}
<button autofocus>${social.returnButton}</button>
</form>
</section>
<script>!${SCRIPT}</script>`,
  })
  return { html: page.html, policy: `${page.policy}; script-src ${SOURCE}` }
}
