import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable, takeFormBodies } from '../foundation/http/index.ts'
import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import { tenantOrigin } from '../tenancy/index.ts'
import { endOtherSession, showAccount, showSignedOut, signOut } from './account.ts'
import { continueAs } from './continue-as.ts'
import { findOwnFlow, isLive } from './find-flow.ts'
import type { Flow } from './flow.ts'
import { showLink, useLink } from './follow-link.ts'
import { createNetworkLimits } from './limits.ts'
import { isFromOwnPage } from './own-form.ts'
import { showExpired, showProblem, showTooManyAttempts } from './problems.ts'
import { requestMail, showSignIn } from './request-mail.ts'
import type { SignInParts } from './sign-in-parts.ts'
import { showMailSent, tryCode } from './try-code.ts'

/** A page or a form: for people on the tenant's own domain, and not a part of the API that programs call. */
const page = { config: { site: 'tenant', page: true }, schema: { hide: true } } as const
/** A form holds an address or a code. */
const form = { ...page, bodyLimit: 4_096 } as const

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

const formOf = (request: FastifyRequest): URLSearchParams =>
  request.body instanceof URLSearchParams ? request.body : new URLSearchParams()

/** What goes wrong here is told on a page, once it is known whose. */
function showFault(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!isUnavailable(error) || !request.hasTenant) throw error
  request.log.warn({ requestId: request.id, err: error }, 'a page of signing in is not available')
  return send(reply, showProblem(browserOf(request), 'unavailable'))
}

/** The hosted pages (interface 4.6; decisions, "Signing in"): sign-in, the code, the link, continue-as, the account. */
export function signInRoutes(parts: SignInParts) {
  return async (app: FastifyInstance): Promise<void> => {
    const limits = createNetworkLimits()
    takeFormBodies(app)
    app.setErrorHandler(showFault)

    app.addHook('preHandler', async (request, reply) => {
      if (request.method !== 'POST') return
      const browser = browserOf(request)
      const waitS = await limits.countForm(browser.address)
      if (waitS > 0) return send(reply, showTooManyAttempts(browser, waitS))
      const ownOrigin = tenantOrigin(parts.publicUrl, request.tenant.domain)
      if (!isFromOwnPage(request.headers, ownOrigin)) return send(reply, showProblem(browser, 'foreign'))
    })

    /** Answers for a flow that was begun in this browser and is not over. */
    async function inFlow(
      request: FastifyRequest<{ Params: { flow: string } }>,
      reply: FastifyReply,
      answer: (browser: BrowserFacts, flow: Flow) => Promise<PageAnswer>,
    ): Promise<FastifyReply> {
      const browser = browserOf(request)
      const flow = await findOwnFlow(parts, browser, request.params.flow)
      if (!flow || !isLive(flow, parts.nowMs())) return send(reply, showExpired(browser, flow))
      return send(reply, await answer(browser, flow))
    }
    type InFlow = { Params: { flow: string } }
    type WithLink = { Params: { token: string } }

    app.get<InFlow>('/sign-in/:flow', page, (request, reply) =>
      inFlow(request, reply, (browser, flow) => showSignIn(parts, browser, flow)),
    )
    app.post<InFlow>('/sign-in/:flow', form, (request, reply) =>
      inFlow(request, reply, (browser, flow) =>
        requestMail(parts, browser, flow, formOf(request).get('email') ?? ''),
      ),
    )
    app.get<InFlow>('/sign-in/:flow/mail', page, (request, reply) =>
      inFlow(request, reply, (browser, flow) => showMailSent(parts, browser, flow)),
    )
    app.post<InFlow>('/sign-in/:flow/code', form, (request, reply) =>
      inFlow(request, reply, async (browser, flow) => {
        const waitS = await limits.wrongCodesWait(browser.address)
        if (waitS > 0) return showTooManyAttempts(browser, waitS)
        const typed = formOf(request).get('code') ?? ''
        return tryCode(parts, browser, flow, typed, () => limits.countWrongCode(browser.address))
      }),
    )
    app.post<InFlow>('/sign-in/:flow/continue', form, (request, reply) =>
      inFlow(request, reply, (browser, flow) => {
        const sent = formOf(request)
        return continueAs(parts, browser, flow, { action: sent.get('action'), memberId: sent.get('member') })
      }),
    )

    app.get<WithLink>('/sign-in/link/:token', page, async (request, reply) =>
      send(reply, await showLink(parts, browserOf(request), request.params.token)),
    )
    app.post<WithLink>('/sign-in/link/:token', form, async (request, reply) =>
      send(reply, await useLink(parts, browserOf(request), request.params.token)),
    )

    app.get('/account', page, async (request, reply) => {
      const hasEnded = request.url.endsWith('?ended')
      return send(reply, await showAccount(parts, browserOf(request), { hasEnded }))
    })
    app.post('/account/sessions/end', form, async (request, reply) => {
      const sent = formOf(request)
      const ended = { token: sent.get('form'), sessionId: sent.get('session') }
      return send(reply, await endOtherSession(parts, browserOf(request), ended))
    })
    app.post('/account/sign-out', form, async (request, reply) =>
      send(reply, await signOut(parts, browserOf(request), { token: formOf(request).get('form') })),
    )
    app.get('/signed-out', page, (request, reply) => send(reply, showSignedOut(browserOf(request))))
  }
}
