import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { mayConnect } from './address-rules.ts'
import { OutgoingError } from './outgoing-error.ts'

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

const LOOPBACK: readonly LookupAddress[] = [{ address: '127.0.0.1', family: 4 }]

/** As browsers have it, also where the system's resolver does not (RFC 6761 6.3). */
const isLocalhost = (hostname: string): boolean => /(?:^|\.)localhost\.?$/i.test(hostname)

export const resolveBySystem: Resolve = async hostname =>
  isLocalhost(hostname) ? LOOPBACK : lookup(hostname, { all: true })

/** A look-up for connections: it gives only addresses that may be connected to, and a connection is made to what it
 *  gives. So a name that means something else a moment later does not slip by. */
export function guardLookup(resolve: Resolve, allowLoopback: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      found => {
        const allowed = found.filter(({ address }) => mayConnect(address, allowLoopback))
        const [first] = allowed
        if (!first) {
          const error = new OutgoingError('forbidden', `${hostname} has no address that may be asked.`)
          callback(error, '', 0)
        } else if (options.all) callback(null, [...allowed])
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, '', 0),
    )
  }
}
