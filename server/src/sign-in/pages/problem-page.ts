import { html } from 'ghtml'
import { layOut, type Page, type PageFrame } from './layout.ts'

/** Says what does not work, what to do, and where to go on. */
export function problemPage(
  frame: PageFrame,
  content: {
    title: string
    text: string
    advice?: string
    link?: { href: string; text: string }
    /** In English, for whoever runs the client. */
    developerDetail?: string
  },
): Page {
  const { advice, link, developerDetail } = content
  return layOut(frame, {
    title: content.title,
    content: html`<section class="card">
<h1>${content.title}</h1>
<p class="soft">${content.text}</p>
!${advice === undefined ? '' : html`<p class="soft">${advice}</p>`}
!${link === undefined ? '' : html`<p><a class="button" href="${link.href}">${link.text}</a></p>`}
!${
      developerDetail === undefined
        ? ''
        : html`<hr class="rule"><details><summary>${frame.texts.problem.developer}</summary><code lang="en">${developerDetail}</code></details>`
    }
</section>`,
  })
}
