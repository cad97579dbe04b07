import { describe, expect, test } from 'vitest'
import { findNear } from '../foundation/find-near.ts'
import { isCovered, readAskedHost, readSite, sharedDomain, siteOf, siteProblem } from './addresses.ts'

describe('what two hosts of one site have in common, as browsers see it (interface 5)', () => {
  test.for([
    ['news.acme.example', 'acme.example'],
    ['acme.example', 'acme.example'],
    ['a.b.acme.co.uk', 'acme.co.uk'],
    ['news.acme.localhost', 'acme.localhost'],
    ['localhost', 'localhost'],
    ['acme.github.io', 'acme.github.io'],
    ['github.io', 'github.io'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '[::1]'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ] as const)('%s belongs to %s', ([host, site]) => expect(siteOf(host)).toBe(site))

  test.for([
    ['news.acme.example', 'members.acme.example', 'acme.example'],
    ['a.news.acme.example', 'b.news.acme.example', 'news.acme.example'],
    ['news.acme.example', 'acme.example', 'acme.example'],
    ['acme.example', 'members.acme.example', 'acme.example'],
  ] as const)('%s and %s share %s', ([one, other, shared]) => expect(sharedDomain(one, other)).toBe(shared))

  test.for([
    ['news.acme.example', 'acme.example', true],
    ['acme.example', 'acme.example', true],
    ['newsacme.example', 'acme.example', false],
    ['acme.example', 'news.acme.example', false],
  ] as const)('%s is covered by %s: %s', ([host, domain, covered]) =>
    expect(isCovered(host, domain)).toBe(covered),
  )
})

describe('the address of a site', () => {
  test.for([
    ['https://news.acme.example', 'https://news.acme.example', 'https://news.acme.example/'],
    ['HTTPS://News.Acme.example:443/', 'https://news.acme.example', 'https://news.acme.example/'],
    ['http://a.localhost:4100/x?y=1#z', 'http://a.localhost:4100', 'http://a.localhost:4100/x?y=1'],
    ['https://bücher.example', 'https://xn--bcher-kva.example', 'https://xn--bcher-kva.example/'],
  ] as const)('%s has the origin %s', ([text, origin, page]) =>
    expect(readSite(text)).toMatchObject({ written: text, origin, page }),
  )

  test.for([
    '',
    'news.acme.example',
    '//news.acme.example',
    'ftp://news.acme.example',
    'javascript:alert(1)',
    'https://',
    'https://a b.example',
    'https://user@news.acme.example',
    'https://:secret@news.acme.example',
    'https:\\\\news.acme.example',
    'https://news.acme.example\n',
    'https://news.acme.example/\0',
    'https://news.acme.example/\ud800',
    `https://news.acme.example/${'x'.repeat(2_048)}`,
  ])('%j is none', text => expect(readSite(text)).toBeUndefined())
})

describe('what is wrong with an address', () => {
  test.for([
    ['news.acme.example', 'is https://news.acme.example meant?'],
    ['news.acme.example/articles?a=1', 'is https://news.acme.example/articles?a=1 meant?'],
    ['news.harbour.localhost:4270', 'is http://news.harbour.localhost:4270 meant?'],
    ['localhost:4270', 'is http://localhost:4270 meant?'],
    ['127.0.0.1:4270', 'is http://127.0.0.1:4270 meant?'],
    ['x', 'such as https://news.example.com.'],
    ['', 'such as https://news.example.com.'],
    ['ftp://news.acme.example', 'such as https://news.example.com.'],
    ['javascript:alert(1)', 'such as https://news.example.com.'],
    ['me@news.acme.example', 'such as https://news.example.com.'],
  ] as const)('%j: %s', ([text, words]) => {
    expect(siteProblem(text)).toMatch(/^must be an address with http or https[,:] /)
    expect(siteProblem(text)).toContain(words)
  })
})

describe('where a site asks', () => {
  test.for([
    ['Members.Acme.example', 'members.acme.example', undefined],
    ['https://members.acme.example/sdk.js', 'members.acme.example', 'https://members.acme.example'],
    ['localhost', 'localhost', undefined],
    ['Login.harbour.localhost:3170', 'login.harbour.localhost', undefined, '3170'],
    ['localhost:80', 'localhost', undefined, '80'],
  ] as const)('%s is the host %s', ([text, host, origin, port]) =>
    expect(readAskedHost(text)).toEqual({ written: text, host, origin, port }),
  )

  test.for([
    '',
    'members',
    'a..example',
    '-a.example',
    'a_b',
    'members.acme.example/x',
    'members:3000',
    'a.example:',
    'a.example:x',
    'a.example:65536',
    'a.example:1:2',
  ])('%j is none', text => expect(readAskedHost(text)).toBeUndefined())
})

describe('names that somebody could have meant', () => {
  test.for([
    ['partnr', ['partner']],
    ['PARTNER', ['partner']],
    ['patrner', ['partner']],
    ['shops', ['shop']],
    ['zzz', []],
    ['', []],
    ['x'.repeat(300), []],
  ] as const)('%s', ([wanted, near]) =>
    expect(findNear(wanted, ['partner', 'shop', 'shopping'])).toEqual(near),
  )
  test('are three at most, the nearest first', () => {
    expect(findNear('abcdef', ['abcdxx', 'abcdefg', 'abcdef', 'abcdeg', 'abcxef'])).toEqual([
      'abcdef',
      'abcdefg',
      'abcdeg',
    ])
  })
})
