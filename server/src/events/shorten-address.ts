import ipaddr from 'ipaddr.js'

/** IPv4 as its /24, IPv6 as its /48. */
export function shortenAddress(text: string): string {
  if (text === '') return text
  const address = ipaddr.parse(text)
  const bytes = address.toByteArray()
  bytes.fill(0, address.kind() === 'ipv4' ? 3 : 6)
  return ipaddr.fromByteArray(bytes).toString()
}
