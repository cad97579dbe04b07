/** A piece of HTML. */
export interface Html {
  readonly html: string
}

type Value = string | number | Html | readonly Html[] | undefined

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function render(value: Value): string {
  if (value === undefined) return ''
  if (typeof value !== 'object') return String(value).replace(/[&<>"']/g, char => entities[char] ?? char)
  return 'html' in value ? value.html : value.map(render).join('')
}

/** The template tag that makes HTML; what is put in is escaped unless it is a piece of HTML itself. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return { html: String.raw({ raw: strings }, ...values.map(render)) }
}
