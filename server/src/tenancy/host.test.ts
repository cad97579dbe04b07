import { describe, expect, test } from 'vitest'
import { hostOf, slugOfHost } from './host.ts'

describe('the host of a Host header', () => {
  test.for([
    ['members.acme.example', 'members.acme.example'],
    ['Members.ACME.example:8443', 'members.acme.example'],
    ['members.acme.example.', 'members.acme.example'],
    ['members.acme.example.:80', 'members.acme.example'],
    ['localhost', 'localhost'],
    ['127.0.0.1:3000', '127.0.0.1'],
    ['[::1]:3000', '[::1]'],
    ['[2001:DB8::1]', '[2001:db8::1]'],
    ['host_with_underscore', 'host_with_underscore'],
    ['members.acme.example:', 'members.acme.example'],
  ] as const)('%j is %s', ([header, host]) => expect(hostOf(header)).toBe(host))

  test.for([
    undefined,
    '',
    ':80',
    '.',
    'a..b',
    '-a.example',
    'a b',
    'a/b',
    'user@a.example',
    'a.example:80:80',
    '[::1',
    '::1',
    'bücher.example',
    'a.example\0',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}toolong`,
    'a'.repeat(10_000),
  ])('%j is none', header => expect(hostOf(header)).toBeUndefined())
})

test('the slug of a host is the one label before the platform host', () => {
  expect(slugOfHost('acme.platform.localhost', 'platform.localhost')).toBe('acme')
  expect(slugOfHost('a.acme.platform.localhost', 'platform.localhost')).toBeUndefined()
  expect(slugOfHost('platform.localhost', 'platform.localhost')).toBeUndefined()
  expect(slugOfHost('acmeplatform.localhost', 'platform.localhost')).toBeUndefined()
})
