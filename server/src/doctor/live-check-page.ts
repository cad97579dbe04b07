import { html } from 'ghtml'
import { layOut, type Page, type PageFrame } from '../sign-in/index.ts'
import { conclude, concludePromptNone } from './conclusions.ts'
import type { CheckResult, Report } from './examine-silent-sign-in.ts'
import {
  type BrowserState,
  consoleSnippet,
  interpretOutcomes,
  type Meaning,
  type Outcome,
  outcomes,
} from './live-outcomes.ts'
import { subjects } from './print-report.ts'

/** Where the script of this page is. */
export const scriptPath = '/silent-sign-in/check.js'

const css = `ul.checks{list-style:none;margin:1.25rem 0 0;padding:0}
ul.checks li{display:grid;grid-template-columns:1.4rem 1fr;gap:.15rem .6rem;padding:.7rem 0;border-top:1px solid var(--line)}
ul.checks li>*{grid-column:2;margin:0}
ul.checks .mark{grid-column:1;grid-row:1;font-weight:700}
.mark.blocks{color:var(--wrong)}
.mark.passed{color:var(--accent)}
.passed{margin-top:1.25rem;font-size:1rem}
.passed summary{padding:.35rem 0}
.passed ul.checks{margin-top:.5rem}
ul.checks code{font:.8rem/1.5 ui-monospace,Menlo,Consolas,monospace;color:var(--soft)}
.verdict{font-weight:650}
.verdict.bad{color:var(--wrong)}
.card pre{white-space:pre-wrap;font:.85rem/1.5 ui-monospace,Menlo,Consolas,monospace;border:1px solid var(--line);border-radius:.5rem;padding:.8rem;margin:.5rem 0 0}
button[hidden]{display:none}
#answer{margin-top:1rem}
#answer:empty{display:none}
#answer h3{font-size:1rem;margin:0 0 .35rem}
#answer p:last-child{margin-bottom:0}`

const marks = { blocks: ['✘', 'Wrong:'], warns: ['!', 'Note:'], passed: ['✔', 'Right:'] } as const
const mark = (kind: keyof typeof marks): string => {
  const [sign, word] = marks[kind]
  // A sign is nothing to hear.
  return html`<span class="mark !${kind}" role="img" aria-label="${word}">!${sign}</span>`
}

/** A text of people and addresses, which may be broken before a label or a port rather than inside of one. */
const breakable = (text: string): string =>
  text
    .split(/(?<=:\/\/)|(?=\.[\w-])|(?=:\d)/)
    .map(part => html`${part}`)
    .join('<wbr>')

const checkItem = ({ name, good, findings }: CheckResult): string =>
  good === null
    ? findings
        .map(
          ({ severity, code, problem, change }) => html`<li>!${mark(severity)}
<p><strong>${subjects[name]}.</strong> !${breakable(problem)} <code>${code}</code></p>
<p><strong>To change:</strong> !${breakable(change)}</p></li>`,
        )
        .join('')
    : html`<li>!${mark('passed')}<p><strong>${subjects[name]}.</strong> !${breakable(good)}</p></li>`

/** What was found, with what is right folded: the live part is what this page is for. */
function checkLists(checks: readonly CheckResult[]): string {
  const list = (some: readonly CheckResult[]) => html`<ul class="checks">
!${some.map(checkItem).join('\n')}
</ul>`
  const passed = checks.filter(({ good }) => good !== null)
  const others = checks.filter(({ good }) => good === null)
  const folded = html`<details class="passed"><summary><span class="mark passed" aria-hidden="true">✔</span> ${
    passed.length === 1 ? '1 check passed' : `${passed.length} checks passed`
  }</summary>!${list(passed)}</details>`
  return (others.length > 0 ? list(others) : '') + (passed.length > 0 ? folded : '')
}

function browserSentence({ tenant }: Report, browser: BrowserState): string {
  const sent = (cookies: number) =>
    cookies === 1 ? 'This browser sent a session cookie' : `This browser sent ${cookies} session cookies`
  switch (browser.kind) {
    case 'none':
      return html`<p>This browser sent no session cookie: nobody is signed in on it at ${tenant.domain}. <a href="/account">Sign in</a> and open this page again to see the whole of it.</p>`
    case 'stale':
      return html`<p>${sent(browser.cookies)}, but none that counts: expired, ended, or no device's. <a href="/account">Sign in</a> and open this page again.</p>`
    case 'signed-in': {
      const who = html`${browser.email} is signed in here.`
      if (tenant.cookieDomain === null)
        return html`<p>${sent(browser.cookies)}: !${who} The probe and prompt=none do not look at it, as the Cookie Domain is blank.</p>`
      const counts = browser.cookies === 1 ? 'and it counts' : 'of which the newest good one counts'
      return html`<p>${sent(browser.cookies)}, ${counts}: !${who}</p>`
    }
  }
}

const meaningTemplate = (outcome: Outcome, { mood, title, sentences }: Meaning): string =>
  html`<template data-outcome="!${outcome}"><div class="!${mood === 'good' ? 'done' : 'wrong'}"><h3>${title}</h3>!${sentences
    .map(sentence => html`<p>!${breakable(sentence)}</p>`)
    .join('')}</div></template>`

function liveCard(report: Report, browser: BrowserState): string {
  const meanings = interpretOutcomes(report, browser)
  const { site, clientId } = report
  return html`<section class="card" aria-labelledby="live-title" id="live" data-client="${clientId}" data-origin="${site.origin}" data-page="${site.page}">
<h2 id="live-title">What this browser does there</h2>
<p class="soft">Opens the site in a new window. The SDK's sign-in file on that page asks once more, with client <strong>${clientId}</strong>, whatever the page's own lines ask with, and says here what it was told.</p>
<noscript><p>This part needs JavaScript. The lines below do the same by hand.</p></noscript>
<button type="button" hidden>Open !${breakable(site.origin)} and check</button>
<div id="answer" role="status"></div>
<template data-outcome="waiting"><p>Waiting for the site to answer…</p></template>
<template data-outcome="slow"><p>Waiting for the site to answer…</p><p>It takes longer than usual. Is the sign-in file of the SDK on that page, and loaded from !${breakable(report.tenantOrigin)}? Look into its console, too.</p></template>
!${outcomes.map(outcome => meaningTemplate(outcome, meanings[outcome])).join('\n')}
<hr class="rule">
<p class="soft small">Or open !${breakable(site.page)} yourself, and paste this into its developer console:</p>
<pre tabindex="0" aria-label="Lines for the developer console"><code>${consoleSnippet(report)}</code></pre>
</section>`
}

/** The live check, in English, for the staff of a tenant and the developers of its sites: what is known of the settings,
 *  what this browser sent, and what the site is told in it. */
export function liveCheckPage(frame: PageFrame, report: Report, browser: BrowserState): Page {
  return layOut(
    { ...frame, language: 'en' },
    {
      title: 'Silent sign-in check',
      wide: true,
      css,
      script: scriptPath,
      content: html`<section class="card">
<h1>Silent sign-in check</h1>
<p class="soft">Client <strong>${report.clientId}</strong> on <strong>!${breakable(report.site.origin)}</strong>, which asks !${breakable(report.tenantOrigin)}</p>
<p class="verdict !${report.works ? 'good' : 'bad'}">!${breakable(conclude(report))}</p>
<p class="soft small">!${breakable(concludePromptNone(report))}</p>
!${checkLists(report.checks)}
</section>
<section class="card" aria-labelledby="browser-title">
<h2 id="browser-title">This browser</h2>
!${browserSentence(report, browser)}
</section>
!${liveCard(report, browser)}`,
    },
  )
}
