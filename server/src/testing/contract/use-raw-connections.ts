import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type ContractPlatform, createContractPlatform } from './contract-platform.ts'
import { keys } from './keys.ts'
import { canaries } from './log-lines.ts'
import { type RawAnswer, sendRaw } from './raw-connection.ts'

export const host = 'host: members.acme.example\r\n'
export const key = `authorization: Bearer ${keys.acme}\r\n`
export const close = 'connection: close\r\n'
const cookie = `cookie: _SERVICET=${canaries.cookie}\r\n`

export const get = (target: string, headers = host) =>
  `GET ${target} HTTP/1.1\r\n${headers}${cookie}${close}\r\n`
export const post = (headers: string, content: string) =>
  `POST /api/sdk/events?${canaries.query}=1 HTTP/1.1\r\n${host}${cookie}${close}content-type: text/plain\r\n${headers}\r\n${content}`

/** The form that every refusal has, also the ones that no route gave. */
export function expectRefusal(answer: RawAnswer, status: number): void {
  expect([answer.status, answer.body]).toEqual([status, expect.stringMatching(/^{"message":"[^{}"]+\."/)])
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.body)))
  expect(answer.headers['x-request-id']).toMatch(/^[\w-]{12,}$/)
  expect(answer.body).not.toMatch(/FST_|HPE_|\.ts|node:|statusCode/)
}

/** A contract platform that listens and waits less long than in production, for what no HTTP client would send. */
export function useRawConnections() {
  let platform: ContractPlatform
  let port: number
  let timeouts: { requestTimeout: number; keepAliveTimeout: number }
  beforeAll(async () => {
    platform = await createContractPlatform()
    const { server } = platform.app
    timeouts = { requestTimeout: server.requestTimeout, keepAliveTimeout: server.keepAliveTimeout }
    // The same as in production, but sooner.
    Object.assign(server, { requestTimeout: 400, headersTimeout: 400, connectionsCheckingInterval: 50 })
    await platform.app.listen({ host: '127.0.0.1', port: 0 })
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => platform.close())
  beforeEach(() => platform.reset())

  return {
    /** Sends pieces over a connection of their own. */
    send: (pieces: Parameters<typeof sendRaw>[1], options?: Parameters<typeof sendRaw>[2]) =>
      sendRaw(port, pieces, options),
    /** There once the tests run, as are the following. */
    get platform() {
      return platform
    },
    /** What the server has in production. */
    get timeouts() {
      return timeouts
    },
  }
}
