import type { FastifyInstance } from 'fastify'
import type { HostedPages } from './authorization-request.ts'
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

/** GET /oauth/authorize (interface 4.6 and 4.9). */
export function authorizeRoutes(parts: OAuthParts & { pages: HostedPages }) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get(
      '/oauth/authorize',
      // Where browsers are sent to; not a part of the API that programs call.
      { config: { site: 'tenant', page: true }, schema: { hide: true } },
      async (request, reply) => {
        const { cookie, 'accept-language': acceptLanguage, 'user-agent': userAgent = '' } = request.headers
        const fetchDest = request.headers['sec-fetch-dest']
        const answer = await authorize(parts, {
          browser: {
            tenant: request.tenant,
            cookieHeader: cookie,
            acceptLanguage,
            userAgent,
            address: request.clientAddress,
          },
          query: new URLSearchParams(request.url.split('?').slice(1).join('?')),
          fetchDest: Array.isArray(fetchDest) ? fetchDest.join() : fetchDest,
        })
        return reply
          .code(answer.status)
          .headers({ ...headers, ...answer.headers })
          .send(answer.body)
      },
    )
  }
}
