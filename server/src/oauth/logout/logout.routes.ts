import type { FastifyInstance } from 'fastify'
import { takeFormBodies } from '../../foundation/http/index.ts'
import type { HostedPages } from '../authorization-request.ts'
import {
  browserOf,
  forBrowsers,
  formOf,
  queryOf,
  sendAgain,
  sendPage,
  showOutages,
} from '../browser-requests.routes.ts'
import type { OAuthParts } from '../open-oauth.ts'
import { answerLogout, confirmLogout } from './sign-out.ts'

const path = '/oauth/logout'

/** Where clients send browsers that are to be signed out (OpenID Connect RP-Initiated Logout 2). */
export function logoutRoutes(parts: OAuthParts & { pages: HostedPages }) {
  return async (app: FastifyInstance): Promise<void> => {
    takeFormBodies(app)
    showOutages(app, parts.pages, 'signing out is not available')

    app.get(path, forBrowsers, async (request, reply) =>
      sendPage(reply, await answerLogout(parts, browserOf(request), queryOf(request))),
    )
    app.post(path, forBrowsers, (request, reply) => sendAgain(request, reply, path))
    app.post(`${path}/confirm`, forBrowsers, async (request, reply) =>
      sendPage(reply, await confirmLogout(parts, browserOf(request), formOf(request))),
    )
  }
}
