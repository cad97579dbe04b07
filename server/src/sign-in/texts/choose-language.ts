import type { Language } from '../../tenancy/index.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import type { Texts } from './texts.ts'

const textsOf: Readonly<Record<Language, Texts>> = { en, de, fr, es }
const everyLanguage = Object.keys(textsOf) as readonly Language[]

/** A browser could send any number; nobody reads so many. */
const MAX_RANGES = 30

/** The texts of a language. */
export const textsIn = (language: Language): Texts => textsOf[language]

/** Whether a text names a language that there are texts in. */
export const isLanguage = (text: unknown): text is Language => everyLanguage.some(known => known === text)

interface Wish {
  tag: string
  weight: number
}

function readWishes(acceptLanguage: string): Wish[] {
  return acceptLanguage
    .split(',', MAX_RANGES)
    .flatMap(range => {
      const [, tag = '', quality = '1'] =
        /^\s*([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i.exec(
          range,
        ) ?? []
      return tag === '' ? [] : [{ tag: tag.toLowerCase(), weight: Number(quality) }]
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
}

/** The language of a page: of those that the tenant offers, the one that the browser likes best (RFC 9110 12.5.4),
 *  else the tenant's first. `offered` empty is all that there are. */
export function chooseLanguage(acceptLanguage: string | undefined, offered: readonly Language[]): Language {
  const choice = offered.length > 0 ? offered : everyLanguage
  const first = choice[0] ?? 'en'
  for (const { tag } of readWishes(acceptLanguage ?? '')) {
    if (tag === '*') return first
    const language = choice.find(one => tag === one || tag.startsWith(`${one}-`))
    if (language) return language
  }
  return first
}
