import { describe, expect, test } from 'vitest'
import type { Language } from '../../tenancy/index.ts'
import { chooseLanguage, textsIn } from './choose-language.ts'

describe('the language of a page (RFC 9110 12.5.4)', () => {
  test.for<[string | undefined, readonly Language[], Language]>([
    [undefined, [], 'en'],
    ['', [], 'en'],
    ['de', [], 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', [], 'de'],
    ['FR-ca', [], 'fr'],
    ['en;q=0.1, es;q=0.9', [], 'es'],
    ['it, pt;q=0.9, es;q=0.1', [], 'es'],
    ['it', [], 'en'],
    ['it', ['de', 'fr'], 'de'],
    ['en', ['de', 'fr'], 'de'],
    ['*', ['fr', 'de'], 'fr'],
    ['de;q=0, fr', [], 'fr'],
    ['den', [], 'en'],
    ['de;q=2', [], 'en'],
    ['<script>', [], 'en'],
    [`${'x,'.repeat(10_000)}de`, [], 'en'],
  ])('for %j of %j is %s', ([header, offered, language]) => {
    expect(chooseLanguage(header, offered)).toBe(language)
  })

  test('has no text left empty, and none of another language', () => {
    const all = (['en', 'de', 'fr', 'es'] as const).map(language =>
      Object.entries(textsIn(language)).flatMap(([part, texts]) =>
        Object.entries(texts as Record<string, unknown>).map(([name, text]) => [
          `${part}.${name}`,
          typeof text === 'function' ? String(text('ONE', 'TWO')) : String(text),
        ]),
      ),
    )
    const [english = [], ...others] = all
    for (const texts of all)
      for (const [name, text] of texts) expect([name, text?.trim()]).not.toEqual([name, ''])
    // The same word in two languages is no slip.
    const same = new Set(['account.name', 'account.device'])
    for (const texts of others)
      for (const [at, [name = '', text]] of texts.entries())
        if (!same.has(name)) expect([name, text]).not.toEqual([name, english[at]?.[1]])
  })
})
