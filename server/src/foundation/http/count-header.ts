import type { IncomingMessage } from 'node:http'

/** How often a header was sent: Node's own table keeps the first of several alone, or joins them. `name` is in lower
 *  case. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at]
    if (sent?.length === name.length && sent.toLowerCase() === name) count++
  }
  return count
}
