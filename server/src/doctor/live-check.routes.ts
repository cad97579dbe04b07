import { readFile } from 'node:fs/promises'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../foundation/database/index.ts'
import { ApiError } from '../foundation/http/index.ts'
import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import { type LiveCheckParts, showLiveCheck, showUnavailable } from './live-check.ts'
import { scriptPath } from './live-check-page.ts'

const browserOf = (request: FastifyRequest): BrowserFacts => ({
  tenant: request.tenant,
  cookieHeader: request.headers.cookie,
  acceptLanguage: request.headers['accept-language'],
  userAgent: request.headers['user-agent'] ?? '',
  address: request.clientAddress,
})

const send = (reply: FastifyReply, { status, headers, body }: PageAnswer): FastifyReply =>
  reply
    .code(status)
    .headers({ ...headers })
    .send(body)

function showFault(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isAway = isDatabaseUnavailable(error) || (error instanceof ApiError && error.status === 503)
  if (!isAway) throw error
  request.log.warn({ requestId: request.id, err: error }, 'the live check is not available')
  return send(reply, showUnavailable(browserOf(request)))
}

/** The page on which a browser shows what silent sign-in does in it, at the tenant's domain, and its script. */
export function liveCheckRoutes(parts: LiveCheckParts) {
  return async (app: FastifyInstance): Promise<void> => {
    const script = await readFile(new URL('./browser/live-check.js', import.meta.url), 'utf8')

    app.get(
      '/silent-sign-in/check',
      {
        config: { site: 'tenant', page: true },
        schema: { hide: true },
        // Else a fault would be told as the API tells it.
        errorHandler: showFault,
      },
      async (request, reply) => {
        const query = new URLSearchParams(request.url.split('?').slice(1).join('?'))
        return send(reply, await showLiveCheck(parts, browserOf(request), query.get('ticket') ?? ''))
      },
    )

    app.get(scriptPath, { config: { site: 'tenant' }, schema: { hide: true } }, (_request, reply) =>
      reply
        .type('text/javascript; charset=utf-8')
        .header('cache-control', 'no-cache')
        .header('x-content-type-options', 'nosniff')
        .send(script),
    )
  }
}
