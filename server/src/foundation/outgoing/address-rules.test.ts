import { describe, expect, test } from 'vitest'
import { mayConnect } from './address-rules.ts'

describe('addresses that may be connected to for somebody else', () => {
  test.for([
    '8.8.8.8',
    '93.184.216.34',
    '172.15.255.255',
    '172.32.0.1',
    '2606:4700::6810:84e5',
    '::ffff:8.8.8.8',
    // NAT64, by which a network without IPv4 reaches 8.8.8.8.
    '64:ff9b::808:808',
  ])('%s, as it is public', address => {
    expect([mayConnect(address, false), mayConnect(address, true)]).toEqual([true, true])
  })

  test.for(['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'])(
    '%s, as it is this machine, in development alone',
    address => {
      expect([mayConnect(address, false), mayConnect(address, true)]).toEqual([false, true])
    },
  )

  test.for([
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'of a carrier'],
    ['100.100.100.200', 'metadata of a cloud'],
    ['169.254.169.254', 'metadata of a cloud'],
    ['169.254.0.1', 'link-local'],
    ['168.63.129.16', 'the host of a virtual machine'],
    ['192.0.0.192', 'metadata of a cloud'],
    ['0.0.0.0', 'unspecified'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['198.18.0.1', 'of benchmarks'],
    ['::', 'unspecified'],
    ['fe80::1', 'link-local'],
    ['fc00::1', 'private'],
    ['fd00:ec2::254', 'metadata of a cloud'],
    ['ff02::1', 'multicast'],
    ['2001:db8::1', 'of documents'],
    ['2002:a00:1::', 'a tunnel to 10.0.0.1'],
    ['64:ff9b::a9fe:a9fe', 'NAT64 to metadata'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:169.254.169.254', 'metadata of a cloud'],
    ['4000::1', 'given to nobody'],
    ['members.example', 'no address'],
    ['', 'no address'],
  ] as const)('never %s: %s', ([address]) => {
    expect([mayConnect(address, false), mayConnect(address, true)]).toEqual([false, false])
  })
})
