import { html } from 'ghtml'
import type { Branding, Language } from '../../tenancy/index.ts'
import type { Texts } from '../texts/texts.ts'
import { sourceOf, styleOf } from './style.ts'

/** What every page of a tenant needs to know. */
export interface PageFrame {
  tenant: { name: string; branding: Branding }
  language: Language
  texts: Texts
}

/** A page that was rendered. `html` holds nothing that the visitor could have written and that was not escaped. */
export interface Page {
  html: string
  /** Its Content-Security-Policy. */
  policy: string
}

function policyOf({ branding }: PageFrame['tenant'], styleSource: string, hasScript: boolean): string {
  const images = branding.logoUrl === null ? '' : ` img-src ${new URL(branding.logoUrl).origin};`
  const scripts = hasScript ? " script-src 'self';" : ''
  // No form-action: browsers apply it to the redirect after the POST, and signing in would break.
  return `default-src 'none'; style-src ${styleSource};${scripts}${images} base-uri 'none'; frame-ancestors 'self'`
}

// Made once: making one took half of the time of rendering a page.
const graphemes = new Intl.Segmenter()

function drawBrand({ name, branding }: PageFrame['tenant']): string {
  if (branding.logoUrl !== null) return html`<img src="${branding.logoUrl}" alt="${name}">`
  const [initial = ''] = graphemes.segment(name)[Symbol.iterator]().next().value?.segment ?? ''
  return html`<span class="monogram" aria-hidden="true">${initial.toUpperCase()}</span><span>${name}</span>`
}

export interface PageContent {
  title: string
  /** The cards, escaped already. */
  content: string
  wide?: boolean
  /** Rules that this page alone needs. */
  css?: string
  /** The path of a script of this origin; a page without one cannot run any. */
  script?: string
}

const brands = new WeakMap<PageFrame['tenant'], string>()

/** Drawn once while the tenant is as it is: a change makes another object. */
function brand(tenant: PageFrame['tenant']): string {
  const drawn = brands.get(tenant) ?? drawBrand(tenant)
  brands.set(tenant, drawn)
  return drawn
}

/** Puts a page together around its cards. */
export function layOut(
  { tenant, language }: PageFrame,
  { title, content, wide = false, css: own, script }: PageContent,
): Page {
  const { css, source } = styleOf(tenant.branding.color)
  return {
    policy: policyOf(tenant, own === undefined ? source : `${source} ${sourceOf(own)}`, script !== undefined),
    html: html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${tenant.name}</title>
<style>!${css}</style>!${own === undefined ? '' : `<style>${own}</style>`}!${script === undefined ? '' : html`<script src="${script}" defer></script>`}
</head>
<body>
<main class="!${wide ? 'wide' : 'narrow'}">
<div class="brand">!${brand(tenant)}</div>
!${content}
</main>
</body>
</html>
`,
  }
}

/** What is wrong with a form, told to a screen reader at once; nothing where nothing is. */
export const faultLine = (fault: string | undefined, id: string): string =>
  fault === undefined ? '' : html`<p class="wrong" id="${id}" role="alert">${fault}</p>`
