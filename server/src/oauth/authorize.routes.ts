import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '../foundation/http/index.ts'
import type { BrowserFacts, HostedPages, PageAnswer } from './authorization-request.ts'
import { authorize } from './authorize/authorize.ts'
import type { OAuthParts } from './open-oauth.ts'

/** For redirects too: no address with a code leaks, and nothing of this is shown in another site's frame. The pages
 *  bring policies of their own. */
const headers = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'SAMEORIGIN',
  'content-security-policy': "default-src 'none'; frame-ancestors 'self'",
}

const browserOf = (request: FastifyRequest): BrowserFacts => ({
  tenant: request.tenant,
  cookieHeader: request.headers.cookie,
  acceptLanguage: request.headers['accept-language'],
  userAgent: request.headers['user-agent'] ?? '',
  address: request.clientAddress,
})

const send = (reply: FastifyReply, answer: PageAnswer): FastifyReply =>
  reply
    .code(answer.status)
    .headers({ ...headers, ...answer.headers })
    // A redirect has no body, and so no media type either.
    .send(answer.body === '' ? undefined : answer.body)

/** GET /oauth/authorize (interface 4.6 and 4.9). */
export function authorizeRoutes(parts: OAuthParts & { pages: HostedPages }) {
  return async (app: FastifyInstance): Promise<void> => {
    // A person is waiting, so an outage is told on a page.
    app.setErrorHandler((error: FastifyError, request, reply) => {
      if (!isUnavailable(error) || !request.hasTenant) throw error
      request.log.warn({ requestId: request.id, err: error }, 'authorize is not available')
      return send(reply, parts.pages.showUnavailable(browserOf(request)))
    })

    app.get(
      '/oauth/authorize',
      // Where browsers are sent to; not a part of the API that programs call.
      { config: { site: 'tenant', page: true }, schema: { hide: true } },
      async (request, reply) => {
        const fetchDest = request.headers['sec-fetch-dest']
        const answer = await authorize(parts, {
          browser: browserOf(request),
          query: new URLSearchParams(request.url.split('?').slice(1).join('?')),
          fetchDest: Array.isArray(fetchDest) ? fetchDest.join() : fetchDest,
        })
        return send(reply, answer)
      },
    )
  }
}
