import { html } from 'ghtml'
import type { Branding, Language } from '../../tenancy/index.ts'
import type { Texts } from '../texts/texts.ts'
import { styleOf } from './style.ts'

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

function policyOf({ branding }: PageFrame['tenant'], styleSource: string): string {
  const images = branding.logoUrl === null ? '' : ` img-src ${new URL(branding.logoUrl).origin};`
  // No form-action: browsers apply it to the redirect after the POST, and signing in would break.
  return `default-src 'none'; style-src ${styleSource};${images} base-uri 'none'; frame-ancestors 'self'`
}

// Made once: making one took half of the time of rendering a page.
const graphemes = new Intl.Segmenter()

function brand({ name, branding }: PageFrame['tenant']): string {
  if (branding.logoUrl !== null) return html`<img src="${branding.logoUrl}" alt="${name}">`
  const [initial = ''] = graphemes.segment(name)[Symbol.iterator]().next().value?.segment ?? ''
  return html`<span class="monogram" aria-hidden="true">${initial.toUpperCase()}</span><span>${name}</span>`
}

/** Puts a page together around its cards, of which `content` is made, escaped already. */
export function layOut(
  { tenant, language }: PageFrame,
  { title, content, wide = false }: { title: string; content: string; wide?: boolean },
): Page {
  const { css, source } = styleOf(tenant.branding.color)
  return {
    policy: policyOf(tenant, source),
    html: html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${tenant.name}</title>
<style>!${css}</style>
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
