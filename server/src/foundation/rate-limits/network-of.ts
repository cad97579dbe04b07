import ipaddr from 'ipaddr.js'

/** By what an address is limited: whoever has one IPv6 address has the 2^64 of its network. */
export function networkOf(address: string): string {
  // Nearly every address, and quicker to see than to parse.
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address
  return ipaddr.IPv6.parse(address).toByteArray().slice(0, 8).join('.')
}
