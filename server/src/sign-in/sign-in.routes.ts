import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable, takeFormBodies } from '../foundation/http/index.ts'
import type { RateLimits } from '../foundation/rate-limits/index.ts'
import { preferLocales } from '../oauth/index.ts'
import { tenantOrigin } from '../tenancy/index.ts'
import { changeName, endOtherSession, showAccount, showSignedOut, signOut } from './account.ts'
import { beginAgain } from './begin-again.ts'
import { continueAs } from './continue-as.ts'
import { showLink, useLink } from './follow-link.ts'
import { createNetworkLimits } from './limits.ts'
import { isFromOwnPage } from './own-form.ts'
import { browserOf, form, formOf, type InFlow, inFlow, page, queryOf, send } from './page-requests.routes.ts'
import { accountNotices } from './pages/account-page.ts'
import { showProblem, showTooManyAttempts } from './problems.ts'
import { requestMail } from './request-mail.ts'
import { showSignIn } from './show-sign-in.ts'
import type { SignInParts } from './sign-in-parts.ts'
import { socialRoutes } from './social/social.routes.ts'
import { showMailSent, tryCode } from './try-code.ts'

/** What goes wrong here is told on a page, once it is known whose. */
function showFault(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!isUnavailable(error) || !request.hasTenant) throw error
  request.log.warn({ requestId: request.id, err: error }, 'a page of signing in is not available')
  return send(reply, showProblem(browserOf(request), 'unavailable'))
}

/** The hosted pages (interface 4.6; decisions, "Signing in"): sign-in, the code, the link, continue-as, the account. */
export function signInRoutes({ rateLimits, ...parts }: SignInParts & { rateLimits: RateLimits }) {
  return async (app: FastifyInstance): Promise<void> => {
    const limits = createNetworkLimits(rateLimits)
    takeFormBodies(app)
    app.setErrorHandler(showFault)

    app.addHook('preHandler', async (request, reply) => {
      if (request.method !== 'POST') return
      const browser = browserOf(request)
      const waitS = await limits.countForm(browser.address)
      if (waitS > 0) return send(reply, showTooManyAttempts(browser, waitS))
      const ownOrigin = tenantOrigin(parts.publicUrl, request.tenant.domain)
      const isForeign = !isFromOwnPage(request.headers, ownOrigin)
      if (isForeign && !request.routeOptions.config.fromElsewhere)
        return send(reply, showProblem(browser, 'foreign'))
    })

    type WithLink = { Params: { token: string } }

    app.get<InFlow>('/sign-in/:flow', page, (request, reply) =>
      inFlow(parts, request, reply, (browser, flow) => showSignIn(parts, browser, flow)),
    )
    app.get<InFlow>('/sign-in/:flow/again', page, async (request, reply) =>
      send(reply, await beginAgain(parts, browserOf(request), request.params.flow)),
    )
    app.post<InFlow>('/sign-in/:flow', form, (request, reply) =>
      inFlow(parts, request, reply, (browser, flow) =>
        requestMail(parts, browser, flow, formOf(request).get('email') ?? ''),
      ),
    )
    app.get<InFlow>('/sign-in/:flow/mail', page, (request, reply) =>
      inFlow(parts, request, reply, (browser, flow) => showMailSent(parts, browser, flow)),
    )
    app.post<InFlow>('/sign-in/:flow/code', form, (request, reply) =>
      inFlow(parts, request, reply, async (browser, flow) => {
        const waitS = await limits.wrongCodesWait(browser.address)
        if (waitS > 0) return showTooManyAttempts(browser, waitS)
        const typed = formOf(request).get('code') ?? ''
        return tryCode(parts, browser, flow, typed, () => limits.countWrongCode(browser.address))
      }),
    )
    app.post<InFlow>('/sign-in/:flow/continue', form, (request, reply) =>
      inFlow(parts, request, reply, (browser, flow) => {
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
      const notice = accountNotices.find(one => request.url.endsWith(`?${one}`))
      return send(reply, await showAccount(parts, browserOf(request), notice && { notice }))
    })
    app.post('/account/name', form, async (request, reply) => {
      const sent = formOf(request)
      const wish = { token: sent.get('form'), name: sent.get('name') }
      return send(reply, await changeName(parts, browserOf(request), wish))
    })
    app.post('/account/sessions/end', form, async (request, reply) => {
      const sent = formOf(request)
      const ended = { token: sent.get('form'), sessionId: sent.get('session') }
      return send(reply, await endOtherSession(parts, browserOf(request), ended))
    })
    app.post('/account/sign-out', form, async (request, reply) =>
      send(reply, await signOut(parts, browserOf(request), { token: formOf(request).get('form') })),
    )
    app.get('/signed-out', page, (request, reply) => {
      const browser = browserOf(request)
      const acceptLanguage = preferLocales(browser.acceptLanguage, queryOf(request).get('ui_locales'))
      return send(reply, showSignedOut({ ...browser, acceptLanguage }))
    })
    await app.register(socialRoutes(parts))
  }
}
