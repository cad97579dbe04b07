import type { FastifyInstance, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
export type TrustedProxies = readonly [Address, number][]

/** Addresses and CIDRs of USHER_TRUST_PROXY. Throws on one that is neither. */
export function parseTrustedProxies(list: readonly string[]): TrustedProxies {
  return list.map(entry => {
    if (entry.includes('/')) return ipaddr.parseCIDR(entry) as [Address, number]
    const address = ipaddr.process(entry)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  })
}

/** As the operating system and most proxies write it; without the leading zeros that would make a part octal. */
const plainIpv4 = /^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/

function parse(text: string): Address | undefined {
  const trimmed = text.trim()
  // Nearly every address, and read four times as fast.
  if (plainIpv4.test(trimmed)) {
    const parts = trimmed.split('.').map(Number)
    return parts.some(part => part > 255) ? undefined : new ipaddr.IPv4(parts)
  }
  // A port, as some proxies add it: 192.0.2.1:1234 or [2001:db8::1]:1234.
  const bare = trimmed.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  // process() writes ::ffff:192.0.2.1 as IPv4.
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined
}

function isTrusted(address: Address, proxies: TrustedProxies): boolean {
  return proxies.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits))
}

/** The client's address: the socket's, or, when that is a trusted proxy, the rightmost of
 *  X-Forwarded-For that is not one. "" when the socket has none any more. */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  proxies: TrustedProxies,
): string {
  // Most installations have no proxies.
  if (proxies.length === 0 && socketAddress && plainIpv4.test(socketAddress)) return socketAddress
  let address = parse(socketAddress ?? '')
  if (!address) return ''
  const hops = proxies.length > 0 && forwardedFor ? forwardedFor.split(',') : []
  while (hops.length > 0 && isTrusted(address, proxies)) {
    const before = parse(hops.pop() ?? '')
    // What stands before an unreadable hop was written by nobody that we trust.
    if (!before) break
    address = before
  }
  return address.toString()
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address, "" when its socket is gone. */
    readonly clientAddress: string
  }
}

/** Gives every request its client's address, worked out when it is asked for. */
export function addClientAddress(app: FastifyInstance, proxies: TrustedProxies): void {
  app.decorateRequest('clientAddress', {
    getter(this: FastifyRequest) {
      const forwardedFor = this.headers['x-forwarded-for']
      const hops = Array.isArray(forwardedFor) ? forwardedFor.join() : forwardedFor
      return clientAddress(this.socket.remoteAddress, hops, proxies)
    },
  })
}
