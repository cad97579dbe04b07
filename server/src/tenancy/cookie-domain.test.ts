import { expect, test } from 'vitest'
import { cookieDomainFault } from './cookie-domain.ts'

test.for([
  ['acme.example', 'members.acme.example'],
  ['members.acme.example', 'members.acme.example'],
  ['acme.co.uk', 'members.news.acme.co.uk'],
  ['acme.github.io', 'members.acme.github.io'],
  ['acme.localhost', 'members.acme.localhost'],
] as const)('%s may be the Cookie Domain of %s', ([cookieDomain, domain]) => {
  expect(cookieDomainFault(cookieDomain, domain)).toBeUndefined()
})

test.for([
  ['cme.example', 'members.acme.example', /a parent of it/],
  ['other.example', 'members.acme.example', /a parent of it/],
  ['members.acme.example', 'acme.example', /a parent of it/],
  ['example', 'members.acme.example', /public suffix/],
  ['co.uk', 'members.acme.co.uk', /public suffix/],
  ['github.io', 'acme.github.io', /public suffix/],
  ['acme.github.io', 'acme.github.io.evil.example', /a parent of it/],
  ['localhost', 'acme.localhost', /public suffix/],
  ['127.0.0.1', '127.0.0.1', /public suffix/],
  ['0.0.1', '127.0.0.1', /public suffix/],
] as const)('%s may not be the Cookie Domain of %s', ([cookieDomain, domain, fault]) => {
  expect(cookieDomainFault(cookieDomain, domain)).toMatch(fault)
})
