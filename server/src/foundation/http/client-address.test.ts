import { describe, expect, test } from 'vitest'
import { clientAddress, parseTrustedProxies } from './client-address.ts'

const proxies = parseTrustedProxies(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'])

describe('the client\'s address (decisions, "Events")', () => {
  test.for([
    ['the socket', '203.0.113.7', undefined, '203.0.113.7'],
    ['not what a stranger claims', '203.0.113.7', '6.6.6.6', '203.0.113.7'],
    ['what a trusted proxy says', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['the rightmost that is no proxy', '10.0.0.1', '6.6.6.6, 203.0.113.7, 192.0.2.1', '203.0.113.7'],
    ['the first proxy when all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['the proxy when what it says is no address', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['the proxy before what is no address', '10.0.0.1', '203.0.113.7, <b>, 10.0.0.2', '10.0.0.2'],
    ['IPv4 written as IPv6', '::ffff:10.0.0.1', '::ffff:203.0.113.7', '203.0.113.7'],
    ['IPv6 in its short form', '2001:db8::1', '2001:DC8:0:0::7', '2001:dc8::7'],
    ['without the port that some proxies add', '10.0.0.1', '[2001:dc8::7]:4711', '2001:dc8::7'],
    ['without the port of IPv4', '10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
    ['not one that no address can be', '10.0.0.1', '203.0.113.7, 10.0.0.256', '10.0.0.1'],
    ['nothing of an empty header', '10.0.0.1', '', '10.0.0.1'],
    ['nothing of a socket that is gone', undefined, '203.0.113.7', ''],
  ] as const)('is %s', ([, socket, forwardedFor, expected]) => {
    expect(clientAddress(socket, forwardedFor, proxies)).toBe(expected)
  })

  test('believes no header without proxies', () => {
    expect(clientAddress('10.0.0.1', '203.0.113.7', [])).toBe('10.0.0.1')
    expect(clientAddress('::ffff:10.0.0.1', '203.0.113.7', [])).toBe('10.0.0.1')
  })

  test.for(['x', '10.0.0.0/33', '', '300.1.1.1'])('refuses to trust "%s"', entry => {
    expect(() => parseTrustedProxies([entry])).toThrow()
  })
})
