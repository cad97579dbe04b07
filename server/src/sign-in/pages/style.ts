import { createHash } from 'node:crypto'
import { type Palette, palettesOf } from './palette.ts'

const variables = (palette: Palette): string =>
  `--back:${palette.back};--card:${palette.card};--button:${palette.button};--on-button:${palette.onButton};` +
  `--edge:${palette.edge};--accent:${palette.accent}`

/** The inks are those that palette.test.ts looks at. */
const rules = (light: Palette, dark: Palette): string => `
:root{color-scheme:light dark;${variables(light)};--ink:#15171c;--soft:#545b69;--line:#d6d9e0;--field:#8a91a0;--wrong:#b3261e;--wrong-back:#fdf1f0;--shadow:0 1px 2px rgb(15 18 30/6%),0 12px 32px -8px rgb(15 18 30/14%)}
@media(prefers-color-scheme:dark){:root{${variables(dark)};--ink:#f2f3f5;--soft:#a9b0bd;--line:#343842;--field:#7b8291;--wrong:#ffb4ab;--wrong-back:#3a1a18;--shadow:0 0 0 1px #2a2d35}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;align-items:center;justify-content:center;padding:2rem 1rem;background:var(--back);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
main{width:100%;max-width:26rem}
main.wide{max-width:44rem}
.brand{display:flex;align-items:center;justify-content:center;gap:.7rem;margin:0 0 1.5rem;font-weight:650;font-size:1.15rem;letter-spacing:-.01em}
.brand img{max-width:min(14rem,80vw);max-height:3.5rem;height:auto}
.monogram{display:grid;place-items:center;flex:none;width:2.5rem;height:2.5rem;border-radius:.7rem;background:var(--button);color:var(--on-button);border:1px solid var(--edge);font-size:1.2rem}
.card{background:var(--card);border-radius:1.1rem;box-shadow:var(--shadow);padding:2.25rem 2rem}
.card+.card{margin-top:1rem}
h1{font-size:1.6rem;line-height:1.2;letter-spacing:-.022em;font-weight:700;margin:0 0 .5rem;text-wrap:balance}
h2{font-size:1.15rem;line-height:1.3;letter-spacing:-.01em;margin:0 0 .35rem}
p{margin:0 0 1rem;text-wrap:pretty}
.soft{color:var(--soft)}
.small{font-size:.9rem}
.card>:last-child,form>:last-child{margin-bottom:0}
.to{margin-top:-.25rem}
form{margin:0 0 1rem}
label{display:block;font-weight:600;font-size:.92rem;margin:0 0 .4rem}
input[type=email],input[type=text]{width:100%;min-height:3rem;padding:.6rem .85rem;font:inherit;color:inherit;background:transparent;border:1px solid var(--field);border-radius:.65rem;margin:0 0 1rem}
input.code{font-size:1.5rem;letter-spacing:.35em;text-align:center;font-variant-numeric:tabular-nums;font-weight:600}
input[aria-invalid=true]{border-color:var(--wrong);border-width:2px}
button,.button{display:block;width:100%;min-height:3rem;padding:.65rem 1rem;font:inherit;font-weight:650;text-align:center;text-decoration:none;border-radius:.65rem;border:1px solid var(--edge);background:var(--button);color:var(--on-button);cursor:pointer;box-shadow:0 1px 2px rgb(15 18 30/12%)}
button:hover,.button:hover{box-shadow:0 3px 10px -2px rgb(15 18 30/35%)}
button:active,.button:active{box-shadow:none}
button.second{background:transparent;color:var(--ink);border-color:var(--field);box-shadow:none}
button.second:hover{border-color:var(--ink)}
button.line{display:inline;width:auto;min-height:1.5rem;padding:0;border:0;background:none;color:var(--accent);box-shadow:none;text-decoration:underline;text-underline-offset:.2em;font-weight:600;border-radius:.2rem}
button.line:hover{text-decoration-thickness:2px}
button+button{margin-top:.75rem}
a{color:var(--accent);text-underline-offset:.2em}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.wrong{color:var(--wrong);background:var(--wrong-back);border-radius:.65rem;padding:.7rem .85rem;font-size:.95rem;margin:0 0 1rem}
.who{display:block;font-weight:650;margin:0 0 1.25rem}
.digits{display:block;font-size:2.6rem;line-height:1.2;font-weight:700;letter-spacing:.16em;padding-left:.16em;text-align:center;font-variant-numeric:tabular-nums;margin:0 0 1.25rem;padding-block:1rem;border:1px dashed var(--field);border-radius:.8rem;user-select:all}
.rule{border:0;border-top:1px solid var(--line);margin:1.5rem 0}
.or{display:flex;align-items:center;gap:.8rem;margin:1.25rem 0}
.or:before,.or:after{content:"";flex:1;border-top:1px solid var(--line)}
details{font-size:.9rem}
summary{cursor:pointer;color:var(--soft);min-height:1.5rem}
details code{display:block;margin-top:.5rem;padding:.7rem .85rem;border:1px solid var(--line);border-radius:.5rem;font:.85rem/1.5 ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap}
dl{display:grid;grid-template-columns:auto 1fr;gap:.4rem 1.5rem;margin:1rem 0 0}
dt{color:var(--soft)}
dd{margin:0;font-weight:550}
ul.sessions{list-style:none;margin:1.25rem 0 0;padding:0}
ul.sessions li{display:flex;gap:1rem;align-items:center;justify-content:space-between;padding:1rem 0;border-top:1px solid var(--line)}
ul.sessions li:last-child{padding-bottom:0}
ul.sessions p{margin:0}
ul.sessions form{margin:0;flex:none}
ul.sessions button{min-height:2.5rem;padding:.35rem .9rem;font-weight:600;font-size:.92rem}
form.choices{margin-top:1.25rem}
.here{display:inline-block;margin-left:.4rem;padding:.05rem .55rem;border-radius:1rem;border:1px solid var(--edge);color:var(--accent);font-size:.78rem;font-weight:650}
.done{border-left:4px solid var(--edge);padding:.7rem .85rem;background:var(--card);border-radius:.4rem;margin:0 0 1rem}
@media(max-width:30rem){body{padding:1rem .75rem;justify-content:flex-start}.brand{margin:1.25rem 0}.card{padding:1.6rem 1.25rem}h1{font-size:1.4rem}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.6rem}}
@media(forced-colors:active){.monogram,.card{border:1px solid}}
@media(prefers-reduced-motion:no-preference){button,.button{transition:box-shadow .15s}}
`

export interface Style {
  css: string
  /** Its hash, as a Content-Security-Policy names it (CSP 3, 2.3.1). */
  source: string
}

const made = new Map<string | null, Style>()
/** Of the tenants whose pages are asked for most; a style is made in a fraction of a millisecond. */
const MAX_STYLES = 1_000

/** A style as a Content-Security-Policy names it (CSP 3, 2.3.1). */
export const sourceOf = (css: string): string =>
  `'sha256-${createHash('sha256').update(css).digest('base64')}'`

/** The style of a tenant's pages, by its color. It stands in the page, so that a page is one request. */
export function styleOf(brandColor: string | null): Style {
  const known = made.get(brandColor)
  if (known) return known
  const { light, dark } = palettesOf(brandColor)
  const css = rules(light, dark).replaceAll('\n', '')
  const style = { css, source: sourceOf(css) }
  if (made.size >= MAX_STYLES) made.clear()
  made.set(brandColor, style)
  return style
}
