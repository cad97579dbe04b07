import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { openDatabase } from '../foundation/database/index.ts'
import { addAnswerHeaders, addErrorHandling, requestIds } from '../foundation/http/index.ts'
import { addEdge, openTenancy } from '../tenancy/index.ts'
import { TEST_PLATFORM_HOST } from './platform.ts'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
  /** From sending the request to the end of its answer. */
  ms: number
}

export interface TestApp {
  app: FastifyInstance
  /** Sends a GET over a socket. */
  get(path: string, options?: { host?: string; key?: string }): Promise<Answer>
  close(): Promise<void>
}

/** Some routes behind the edge, on the database of `url`, listening. What it knows of keys and hosts ages by `nowMs`. */
export async function startTestApp(
  url: string,
  routes: readonly ((app: FastifyInstance) => Promise<void>)[],
  nowMs = Date.now,
): Promise<TestApp> {
  const database = openDatabase({ url, maxConnections: 4, applicationName: 'test app' })
  const tenancy = openTenancy({ databaseUrl: url, directUrl: url, platformHost: TEST_PLATFORM_HOST, nowMs })
  const app = Fastify({ genReqId: requestIds(), exposeHeadRoutes: false })
  addAnswerHeaders(app)
  addErrorHandling(app)
  const publicUrl = new URL(`http://${TEST_PLATFORM_HOST}`)
  addEdge(app, { sites: tenancy.sites, keys: tenancy.keys, publicUrl })
  for (const plugin of routes) await app.register(plugin)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo

  return {
    app,
    get(path, { host = TEST_PLATFORM_HOST, key } = {}) {
      const headers = { host, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) }
      const sentMs = performance.now()
      const answer = Promise.withResolvers<Answer>()
      const outgoing = request({ host: '127.0.0.1', port, path, headers, agent: false }, incoming => {
        const pieces: Buffer[] = []
        incoming.on('data', (piece: Buffer) => pieces.push(piece))
        incoming.on('error', answer.reject)
        incoming.on('end', () =>
          answer.resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: Buffer.concat(pieces).toString(),
            ms: performance.now() - sentMs,
          }),
        )
      })
      outgoing.on('error', answer.reject)
      outgoing.end()
      return answer.promise
    },
    async close() {
      await app.close()
      await tenancy.close()
      await database.close()
    },
  }
}
