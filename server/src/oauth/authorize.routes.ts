import type { FastifyInstance } from 'fastify'
import { takeFormBodies } from '../foundation/http/index.ts'
import type { HostedPages } from './authorization-request.ts'
import { authorize } from './authorize/authorize.ts'
import {
  browserOf,
  forBrowsers,
  queryOf,
  sendAgain,
  sendPage,
  showOutages,
} from './browser-requests.routes.ts'
import type { OAuthParts } from './open-oauth.ts'

const path = '/oauth/authorize'

/** /oauth/authorize (interface 4.6 and 4.9). */
export function authorizeRoutes(
  parts: OAuthParts & { pages: Pick<HostedPages, 'begin' | 'showError' | 'showUnavailable'> },
) {
  return async (app: FastifyInstance): Promise<void> => {
    takeFormBodies(app)
    showOutages(app, parts.pages, 'authorize is not available')

    app.get(path, forBrowsers, async (request, reply) => {
      const fetchDest = request.headers['sec-fetch-dest']
      const answer = await authorize(parts, {
        browser: browserOf(request),
        query: queryOf(request),
        fetchDest: Array.isArray(fetchDest) ? fetchDest.join() : fetchDest,
      })
      return sendPage(reply, answer)
    })

    // OpenID Connect Core 3.1.2.1 has clients post forms too.
    app.post(path, forBrowsers, (request, reply) => sendAgain(request, reply, path))
  }
}
