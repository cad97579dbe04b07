import { html } from 'ghtml'
import { layOut, type Page, type PageFrame } from './layout.ts'

/** After signing out. */
export function signedOutPage(frame: PageFrame, content: { againHref: string }): Page {
  const { signedOut } = frame.texts
  return layOut(frame, {
    title: signedOut.title,
    content: html`<section class="card">
<h1>${signedOut.title}</h1>
<p class="soft">${signedOut.text}</p>
<p><a class="button" href="${content.againHref}">${signedOut.again}</a></p>
</section>`,
  })
}
