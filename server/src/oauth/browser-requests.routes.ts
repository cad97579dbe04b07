import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '../foundation/http/index.ts'
import type { BrowserFacts, HostedPages, PageAnswer } from './authorization-request.ts'

/** Routes that browsers are sent to; not a part of the API that programs call. */
export const forBrowsers = { config: { site: 'tenant', page: true }, schema: { hide: true } } as const

/** For redirects too: no address with a code leaks, and nothing of this is shown in another site's frame. The pages
 *  bring policies of their own. */
const headers = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'SAMEORIGIN',
  'content-security-policy': "default-src 'none'; frame-ancestors 'self'",
}

/** What a page needs to know of the browser that asks for it. */
export const browserOf = (request: FastifyRequest): BrowserFacts => ({
  tenant: request.tenant,
  cookieHeader: request.headers.cookie,
  acceptLanguage: request.headers['accept-language'],
  userAgent: request.headers['user-agent'] ?? '',
  address: request.clientAddress,
})

/** Sends a page, or a redirect. */
export const sendPage = (reply: FastifyReply, answer: PageAnswer): FastifyReply =>
  reply
    .code(answer.status)
    .headers({ ...headers, ...answer.headers })
    // A redirect has no body, and so no media type either.
    .send(answer.body === '' ? undefined : answer.body)

/** The parameters in a request's address. */
export const queryOf = (request: FastifyRequest): URLSearchParams =>
  new URLSearchParams(request.url.split('?').slice(1).join('?'))

/** The parameters in a request's form. */
export const formOf = (request: FastifyRequest): URLSearchParams =>
  request.body instanceof URLSearchParams ? request.body : new URLSearchParams()

/** Has the browser ask again by GET for what another site had it post: only so it brings its SameSite=Lax cookies. */
export const sendAgain = (request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply =>
  sendPage(reply, { status: 303, headers: { location: `${path}?${formOf(request)}` }, body: '' })

/** Has an outage told on a page, as a person is waiting. */
export function showOutages(
  app: FastifyInstance,
  pages: Pick<HostedPages, 'showUnavailable'>,
  message: string,
): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (!isUnavailable(error) || !request.hasTenant) throw error
    request.log.warn({ requestId: request.id, err: error }, message)
    return sendPage(reply, pages.showUnavailable(browserOf(request)))
  })
}
