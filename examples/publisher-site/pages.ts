import { type Article, articles } from './articles.ts'
import { type Html, html } from './html.ts'
import { matches, standings } from './league.ts'
import { picture } from './pictures.ts'

/** Where the pages are rendered for: what they show depends on nothing else. */
export interface Setting {
  /** The tenant's, where the browser SDK comes from. */
  tenantOrigin: string
  /** The site's own client there; without one nobody is greeted. */
  clientId: string | undefined
  now: Date
}

interface Page {
  title: string
  description: string
  /** The path in the navigation that the page belongs to. */
  at: string
  body: Html
}

const sections = [
  { path: '/', name: 'Home' },
  { path: '/city', name: 'City' },
  { path: '/culture', name: 'Culture' },
  { path: '/science', name: 'Science' },
  { path: '/food', name: 'Food' },
  { path: '/opinion', name: 'Opinion' },
  { path: '/sport', name: 'Sport' },
]

/** Who reads: public/site.js finds out, and shows one of the two. */
function reader(tenantOrigin: string, clientId: string): Html {
  return html`<section class="reader" aria-label="Reader" data-reader="${clientId}">
    <p data-member hidden>Good to see you, <b data-name></b> <button type="button" data-sign-out>Sign out</button></p>
    <p data-stranger hidden><a class="reader-link" href="${tenantOrigin}/account" target="_blank" rel="noopener">Sign in <span class="hidden">(in a new
      window)</span></a></p>
    <p class="hidden" role="status" data-told></p>
  </section>`
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full' })

function layout(setting: Setting, page: Page): string {
  const { tenantOrigin, clientId, now } = setting
  const navigation = sections.map(
    ({ path, name }) =>
      html`<li><a href="${path}"${path === page.at ? html` aria-current="page"` : undefined}>${name}</a></li>`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${page.title}</title>
  <meta name="description" content="${page.description}">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="/icon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="/style.css">
  <script src="/site.js" defer></script>
  <script src="${tenantOrigin}/sdk.js" async></script>
  ${clientId === undefined ? undefined : html`<script src="${tenantOrigin}/sdk-sign-in.js" defer></script>`}
</head>
<body>
  <a class="skip" href="#content">Skip to the stories</a>
  ${clientId === undefined ? undefined : reader(tenantOrigin, clientId)}
  <header class="masthead">
    <p class="masthead-date"><time datetime="${now.toISOString().slice(0, 10)}">${dayFormat.format(now)}</time></p>
    <p class="masthead-name"><a href="/">Acme Daily</a></p>
    <p class="masthead-motto">News from the harbour, since 1871</p>
  </header>
  <nav class="sections" aria-label="Sections"><ul>${navigation}</ul></nav>
  <main id="content" tabindex="-1">${page.body}</main>
  <footer class="foot">
    <form class="newsletter" data-newsletter>
      <h2>The morning letter</h2>
      <p class="newsletter-text">Five stories before the first ferry, every weekday at six.</p>
      <div class="newsletter-row">
        <label class="hidden" for="newsletter-email">Your e-mail address</label>
        <input id="newsletter-email" type="email" required autocomplete="email" placeholder="you@example.com">
        <button type="submit">Sign up</button>
      </div>
      <p class="newsletter-text newsletter-done" role="status"></p>
    </form>
    <p class="foot-small">Acme Daily is an example site: the paper, its city and its people are invented. Pages and clicks are
      counted by a script from the tenant’s own domain.</p>
  </footer>
</body>
</html>
`.html
}

function age(hours: number): string {
  if (hours < 24) return `${hours} ${hours === 1 ? 'hour' : 'hours'} ago`
  return hours < 48 ? 'Yesterday' : `${Math.floor(hours / 24)} days ago`
}

function readingMinutes({ paragraphs }: Article): number {
  return Math.max(1, Math.round(paragraphs.join(' ').split(' ').length / 180))
}

const pathOf = (article: Article) => `/${article.section.toLowerCase()}/${article.slug}`

function kicker(article: Article): Html {
  return html`<p class="kicker">${article.section}</p>`
}

function byline(article: Article): Html {
  return html`<p class="byline">${article.author}<span aria-hidden="true"> · </span>${age(article.hoursAgo)}</p>`
}

function card(article: Article, heading: 'h2' | 'h3', withStandfirst: boolean): Html {
  const link = html`<a href="${pathOf(article)}">${article.title}</a>`
  return html`<article class="card">
    <div class="card-picture">${picture(article.picture, article.pictureAlt)}</div>
    ${kicker(article)}
    ${heading === 'h2' ? html`<h2>${link}</h2>` : html`<h3>${link}</h3>`}
    ${withStandfirst ? html`<p class="standfirst">${article.standfirst}</p>` : undefined}
    ${byline(article)}
  </article>`
}

/** The newest stories but for those that the page shows already. */
function furtherStories(shown: readonly Article[]): Html {
  const others = articles.filter(article => !shown.includes(article)).slice(0, 3)
  return html`<section class="related" aria-labelledby="related">
    <h2 id="related" class="rule">Read next</h2>
    <div class="grid">${others.map(article => card(article, 'h3', false))}</div>
  </section>`
}

/** The front page. */
export function homePage(setting: Setting): string {
  const [lead, ...others] = articles
  if (!lead) throw new Error('A paper needs a story.')
  const latest = matches.filter(match => match.score).slice(-3)
  return layout(setting, {
    title: 'Acme Daily',
    description: 'News, culture and sport from the harbour city of Acme.',
    at: '/',
    body: html`<h1 class="hidden">Today in Acme</h1>
      <div class="lead">${card(lead, 'h2', true)}</div>
      <div class="grid">${others.slice(0, 3).map(article => card(article, 'h2', true))}</div>
      <div class="split">
        <section aria-labelledby="also">
          <h2 id="also" class="rule">Also today</h2>
          <div class="pair">${others.slice(3).map(article => card(article, 'h3', false))}</div>
        </section>
        <section aria-labelledby="league" class="scores">
          <h2 id="league" class="rule">Harbour League</h2>
          <ul>${latest.map(
            ({ home, away, score }) =>
              html`<li><span>${home}</span> <b>${score?.[0]}–${score?.[1]}</b> <span>${away}</span></li>`,
          )}</ul>
          <p class="more"><a href="/sport">All results and the table</a></p>
        </section>
      </div>`,
  })
}

/** A section's page; undefined where there is no such section. */
export function sectionPage(setting: Setting, path: string): string | undefined {
  const section = sections.find(other => other.path === path)
  const stories = articles.filter(article => article.section === section?.name)
  if (!section || stories.length === 0) return undefined
  return layout(setting, {
    title: `${section.name} – Acme Daily`,
    description: `${section.name} in the Acme Daily.`,
    at: path,
    body: html`<h1 class="section-name">${section.name}</h1>
      ${stories.map(article => html`<div class="lead">${card(article, 'h2', true)}</div>`)}
      ${furtherStories(stories)}`,
  })
}

/** A story; undefined where the path names none. */
export function articlePage(setting: Setting, path: string): string | undefined {
  const article = articles.find(other => pathOf(other) === path)
  if (!article) return undefined
  const middle = Math.ceil(article.paragraphs.length / 2)
  const paragraphs = (from: number, to?: number) =>
    article.paragraphs.slice(from, to).map(paragraph => html`<p>${paragraph}</p>`)
  return layout(setting, {
    title: `${article.title} – Acme Daily`,
    description: article.standfirst,
    at: `/${article.section.toLowerCase()}`,
    body: html`<article class="story" data-story="${article.slug}">
        <header>
          ${kicker(article)}
          <h1>${article.title}</h1>
          <p class="standfirst">${article.standfirst}</p>
          <p class="byline">By ${article.author}<span aria-hidden="true"> · </span>${age(article.hoursAgo)}<span
            aria-hidden="true"> · </span>${readingMinutes(article)} min read</p>
          <div class="story-actions">
            <button type="button" data-save aria-pressed="false">Save</button>
            <button type="button" data-share>Copy link</button>
            <span role="status" data-told></span>
          </div>
        </header>
        <div class="story-picture">${picture(article.picture, article.pictureAlt)}</div>
        <div class="story-text">
          ${paragraphs(0, middle)}
          <blockquote><p>${article.quote.text}</p><footer>${article.quote.by}</footer></blockquote>
          ${paragraphs(middle)}
          <p class="story-end" data-story-end aria-hidden="true">■</p>
        </div>
      </article>
      ${furtherStories([article])}`,
  })
}

const sportViews = [
  { path: '/sport', name: 'Results' },
  { path: '/sport/table', name: 'Table' },
  { path: '/sport/fixtures', name: 'Fixtures' },
]

function rounds(played: boolean): Html {
  const shown = matches.filter(match => (match.score !== undefined) === played)
  const numbers = [...new Set(shown.map(match => match.round))]
  if (played) numbers.reverse()
  return html`<div class="rounds">${numbers.map(
    number =>
      html`<section><h2 class="rule">Round ${number}</h2><ul class="matches">${shown
        .filter(match => match.round === number)
        .map(
          ({ home, away, score }) => html`<li><span>${home}</span>
          <b>${score ? `${score[0]}–${score[1]}` : 'v'}</b> <span>${away}</span></li>`,
        )}</ul></section>`,
  )}</div>`
}

function table(): Html {
  const rows = standings().map(
    (
      row,
      index,
    ) => html`<tr><td>${index + 1}</td><th scope="row">${row.team}</th><td>${row.played}</td><td>${row.won}</td>
      <td>${row.drawn}</td><td>${row.lost}</td><td>${row.goalDifference > 0 ? '+' : ''}${row.goalDifference}</td>
      <td><b>${row.points}</b></td></tr>`,
  )
  const column = (short: string, long: string) =>
    html`<th scope="col"><abbr title="${long}">${short}</abbr></th>`
  return html`<div class="table-frame"><table>
    <caption class="hidden">Harbour League, standings after three rounds</caption>
    <thead><tr>${column('#', 'Place')}<th scope="col">Team</th>${column('P', 'Played')}${column('W', 'Won')}
      ${column('D', 'Drawn')}${column('L', 'Lost')}${column('GD', 'Goal difference')}${column('Pts', 'Points')}</tr></thead>
    <tbody>${rows}</tbody></table></div>`
}

/**
 * The sport section: three views at addresses of their own, between which the browser's script moves
 * without loading a page. Undefined where there is no such view.
 */
export function sportPage(setting: Setting, path: string): string | undefined {
  const view = sportViews.find(other => other.path === path)
  if (!view) return undefined
  const content = view.name === 'Table' ? table() : rounds(view.name === 'Results')
  const tabs = sportViews.map(
    ({ path: href, name }) =>
      html`<li><a class="tab" href="${href}" data-in-page${href === path ? html` aria-current="page"` : undefined}>${name}</a></li>`,
  )
  return layout(setting, {
    title: `${view.name}, Harbour League – Acme Daily`,
    description: `The Harbour League: ${view.name.toLowerCase()}.`,
    at: '/sport',
    body: html`<div data-in-page-content>
      <h1 class="section-name" tabindex="-1">Harbour League</h1>
      <nav class="tabs" aria-label="Harbour League"><ul>${tabs}</ul></nav>
      ${content}
    </div>`,
  })
}

/** For an address that nothing stands at. */
export function missingPage(setting: Setting): string {
  return layout(setting, {
    title: 'Not found – Acme Daily',
    description: 'There is no such page.',
    at: '',
    body: html`<div class="missing"><h1>This page is yesterday’s paper</h1>
      <p>There is nothing at this address. The <a href="/">front page</a> has today’s stories.</p></div>`,
  })
}
