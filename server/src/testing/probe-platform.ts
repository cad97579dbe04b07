import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { createOAuthPlatform, hostOf, type OAuthPlatform } from './oauth-platform.ts'
import type { WholePlatformOptions } from './whole-platform.ts'

/** An origin that acme's partner has registered. */
export const news = 'https://news.acme.example'

export interface ProbeAnswer {
  status: number
  /** All of them but those that every answer has, in lower case. */
  headers: Record<string, string>
  body: string
}

export interface ProbeOptions {
  method?: string
  host?: string
  /** What follows the path; `?client_id=partner` unless told otherwise. */
  query?: string
  /** One, several, or with `null` none. */
  origin?: string | readonly string[] | null
  cookie?: string
  /** The address that the request comes from; one of its own unless told otherwise. */
  address?: string
  headers?: Record<string, string>
}

export interface ProbePlatform extends OAuthPlatform {
  /** Sends a request to the session probe over a socket. Throws when a header came twice, or one is missing that every
   *  answer has. */
  ask(options?: ProbeOptions): Promise<ProbeAnswer>
  /** How many codes of probes there are. */
  countCodes(): Promise<number>
}

/** The answer to a member, and to nobody. */
export const allowed = {
  'access-control-allow-origin': news,
  'access-control-allow-credentials': 'true',
  vary: 'Origin',
}
const answered = { 'content-type': 'application/json', 'cache-control': 'no-store', ...allowed }
const unauthenticated = '{"status":"unauthenticated"}'
export const nobody: ProbeAnswer = {
  status: 200,
  headers: { ...answered, 'content-length': String(unauthenticated.length) },
  body: unauthenticated,
}
const refusal = '{"error":"invalid_request"}'
/** A refusal, which is bare (interface 4.8). */
export const refused: ProbeAnswer = {
  status: 403,
  headers: { 'content-type': 'application/json', 'content-length': String(refusal.length) },
  body: refusal,
}

/** The code of an answer to somebody; fails for any other answer. */
export function codeOf(answer: ProbeAnswer): string {
  const { code } = JSON.parse(answer.body)
  const body = JSON.stringify({ status: 'authenticated', code, expires_in: 30 })
  const headers = { ...answered, 'content-length': String(body.length) }
  expect({ ...answer, headers: { ...answer.headers, ...allowed } }).toEqual({ status: 200, headers, body })
  expect(code).toMatch(/^[\w-]{64}$/)
  return code
}

/** Takes out what every answer has, and throws when it is not there. */
function ownHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    if (headers.has(name)) throw new Error(`The header ${name} came twice.`)
    headers.set(name, rawHeaders[at + 1] ?? '')
  }
  const common: [string, RegExp][] = [
    ['x-request-id', /^[\w-]{12,}$/],
    ['date', / GMT$/],
    ['connection', /^keep-alive$/],
    ['keep-alive', /^timeout=75$/],
  ]
  for (const [name, form] of common) {
    if (!form.test(headers.get(name) ?? '')) throw new Error(`The header ${name} is ${headers.get(name)}.`)
    headers.delete(name)
  }
  return Object.fromEntries(headers)
}

let addresses = 0
/** An address that no other request of the test comes from. */
export const newAddress = (): string => {
  const number = addresses++
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
}

/** The whole platform with clients, listening on a port of this machine, behind a proxy that it trusts. */
export async function createProbePlatform(
  env: Record<string, string> = {},
  options: WholePlatformOptions = {},
): Promise<ProbePlatform> {
  const platform = await createOAuthPlatform({ USHER_TRUST_PROXY: '127.0.0.1', ...env }, options)
  await platform.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = platform.app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })

  return {
    ...platform,
    async ask({
      method = 'GET',
      host = hostOf(),
      query = '?client_id=partner',
      origin = news,
      cookie,
      address = newAddress(),
      headers = {},
    } = {}) {
      const origins = origin === null ? [] : [origin].flat()
      const sent = [
        ['Host', host],
        ['X-Forwarded-For', address],
        ...origins.map(one => ['Origin', one]),
        ...(cookie === undefined ? [] : [['Cookie', cookie]]),
        ...Object.entries(headers),
      ].flat()
      const path = `/oauth/session${query}`
      const outgoing = request({ host: '127.0.0.1', port, agent, method, path, headers: sent })
      outgoing.end()
      const [incoming] = await once(outgoing, 'response')
      const pieces: Buffer[] = []
      for await (const piece of incoming) pieces.push(piece)
      return {
        status: incoming.statusCode,
        headers: ownHeaders(incoming.rawHeaders),
        body: Buffer.concat(pieces).toString(),
      }
    },
    async countCodes() {
      const { rows } = await platform.database.pool.query(
        "select count(*)::int as count from authorization_codes where origin = 'probe'",
      )
      return rows[0].count
    },
    async close() {
      agent.destroy()
      await platform.close()
    },
  }
}
