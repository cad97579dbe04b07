import { request } from 'node:http'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'

const loopback = { address: '127.0.0.1', family: 4 }
const lookup: LookupFunction = (_name, { all }, found) =>
  all ? found(null, [loopback]) : found(null, loopback.address, loopback.family)

/** fetch, for which every name under .localhost is this machine (RFC 6761 6.3). Browsers and curl know that; Node asks the
 *  system, and not every system knows. For development alone: all other addresses go to fetch itself. */
export async function fetchLocalhost(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const asked = new Request(input, init)
  const url = new URL(asked.url)
  if (url.protocol !== 'http:' || !url.hostname.endsWith('.localhost')) return fetch(asked)
  const { method, signal } = asked
  const headers = Object.fromEntries(asked.headers)
  const body = Buffer.from(await asked.arrayBuffer())
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, signal, lookup }, answer => {
      const status = answer.statusCode ?? 500
      const isEmpty = status === 204 || status === 304
      if (isEmpty) answer.resume()
      const pairs = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      )
      const stream = isEmpty ? null : (Readable.toWeb(answer) as ReadableStream)
      resolve(new Response(stream, { status, headers: new Headers(pairs) }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
