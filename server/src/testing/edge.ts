import Fastify, { type FastifyInstance, type InjectOptions, type LightMyRequestResponse } from 'fastify'
import { addAnswerHeaders, addErrorHandling } from '../foundation/http/index.ts'
import { addEdge, type Tenancy } from '../tenancy/index.ts'

export type EdgeAnswer = LightMyRequestResponse

export interface EdgeApp {
  app: FastifyInstance
  /** Sends a request to a host, with a key where one is named. Nothing listens. */
  send(host: string, url: string, options?: InjectOptions & { key?: string }): Promise<EdgeAnswer>
}

/** Routes behind the edge alone. */
export async function buildEdgeApp(
  tenancy: Tenancy,
  publicUrl: string,
  addRoutes: (app: FastifyInstance) => void | Promise<void>,
): Promise<EdgeApp> {
  const app = Fastify({ exposeHeadRoutes: false })
  addAnswerHeaders(app)
  addErrorHandling(app)
  addEdge(app, { sites: tenancy.sites, keys: tenancy.keys, publicUrl: new URL(publicUrl) })
  await addRoutes(app)
  return {
    app,
    send(host, url, { key, ...options } = {}) {
      const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
      return app.inject({ url, ...options, headers: { host, ...authorization, ...options.headers } })
    },
  }
}
