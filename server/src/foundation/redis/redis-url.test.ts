import { describe, expect, test } from 'vitest'
import { parseRedisUrl } from './redis-url.ts'

const plain = { kind: 'single', tls: false, username: undefined, password: undefined, database: 0 }
const node = (host: string, port = 6_379) => ({ host, port })

describe('the address of Redis (decisions, "First start, and configuration")', () => {
  test.for([
    ['redis://localhost', { ...plain, nodes: [node('localhost')] }],
    ['redis://10.0.0.1:7000/', { ...plain, nodes: [node('10.0.0.1', 7_000)] }],
    ['redis://[::1]:7000/3', { ...plain, nodes: [node('::1', 7_000)], database: 3 }],
    ['rediss://cache.example', { ...plain, tls: true, nodes: [node('cache.example')] }],
    ['redis://:p%40ss@h', { ...plain, nodes: [node('h')], password: 'p@ss' }],
    ['redis://user:p:w@h', { ...plain, nodes: [node('h')], username: 'user', password: 'p:w' }],
    [
      'redis+cluster://u:p@a:7000,b,[::1]:7002',
      {
        ...plain,
        kind: 'cluster',
        nodes: [node('a', 7_000), node('b'), node('::1', 7_002)],
        username: 'u',
        password: 'p',
      },
    ],
  ] as const)('%s', ([text, address]) => {
    expect(parseRedisUrl(text)).toEqual(address)
  })

  test.for([
    ['', /^must be redis:/],
    ['http://localhost', /^must be redis:/],
    ['redis://', /^must be redis:/],
    ['redis://h:0', /^must be redis:/],
    ['redis://h:70000', /^must be redis:/],
    ['redis://h/x', /^must be redis:/],
    ['redis://:secret@', /^must be redis:/],
    ['redis://a:1,b:2', /^names several hosts/],
    ['redis+cluster://a:1,b:2/1', /^names a database/],
    ['redis+cluster://a:1,', /^must be redis:/],
    ['redis://:%zzsecret@h', /^has a user or a password/],
  ] as const)('%s is refused, and quoted nowhere', ([text, message]) => {
    expect(() => parseRedisUrl(text)).toThrow(message)
    expect(() => parseRedisUrl(text)).not.toThrow(/secret/)
  })
})
