import ipaddr from 'ipaddr.js'

/** Addresses that are public by their range and still lead into a cloud's inside: Azure's host of a virtual machine. */
const INSIDE = new Set(['168.63.129.16'])

/** Ranges of IPv6 that carry an IPv4 address, which is what counts: IPv4-mapped, and NAT64 (RFC 6052), by which a network
 *  without IPv4 reaches everything that has no other. */
function embedded(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  if (address.range() !== 'rfc6052') return undefined
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}

function reachOf(text: string): 'public' | 'loopback' | 'inside' {
  if (!ipaddr.isValid(text)) return 'inside'
  const parsed = ipaddr.parse(text)
  const address = (parsed instanceof ipaddr.IPv6 && embedded(parsed)) || parsed
  if (address.range() === 'loopback') return 'loopback'
  if (address.range() !== 'unicast' || INSIDE.has(address.toString())) return 'inside'
  // All that is given out of IPv6 begins with 001 (RFC 4291 2.4).
  if (address instanceof ipaddr.IPv6 && ((address.parts[0] ?? 0) & 0xe000) !== 0x2000) return 'inside'
  return 'public'
}

/** Whether a connection to an IP address may be made for somebody else: to public ones, and in development to loopback.
 *  Private, link-local and metadata addresses are never among them. */
export function mayConnect(address: string, allowLoopback: boolean): boolean {
  const reach = reachOf(address)
  return reach === 'public' || (allowLoopback && reach === 'loopback')
}
