import type { FastifyInstance } from 'fastify'
import { browserOf, form, formOf, type InFlow, inFlow, page, queryOf, send } from '../page-requests.routes.ts'
import type { SignInParts } from '../sign-in-parts.ts'
import { signInByProvider } from './go-to-provider.ts'
import { beginLinking, unlinkAccount } from './link-account.ts'
import { postOn } from './post-on.ts'
import { returnFromProvider } from './return-from-provider.ts'

type OfProvider = { Params: { provider: string } }

/** A provider's answer: a code, which may be of some thousand characters, and what goes with it. */
const answerForm = { ...form, bodyLimit: 16_384 } as const
const postedAnswer = { ...answerForm, config: { ...form.config, fromElsewhere: true } } as const

/** Signing in by a provider, its answers, and the accounts of a member. To be registered where forms are read and counted. */
export function socialRoutes(parts: SignInParts) {
  return async (app: FastifyInstance): Promise<void> => {
    app.post<InFlow>('/sign-in/:flow/social', form, (request, reply) =>
      inFlow(parts, request, reply, (browser, flow) =>
        signInByProvider(parts, browser, flow, formOf(request).get('provider')),
      ),
    )
    app.get<OfProvider>('/sign-in/social/:provider/callback', page, async (request, reply) => {
      const answer = { providerId: request.params.provider, answer: queryOf(request) }
      return send(reply, await returnFromProvider(parts, browserOf(request), answer))
    })
    app.post<OfProvider>('/sign-in/social/:provider/callback', postedAnswer, async (request, reply) => {
      const answer = { providerId: request.params.provider, answer: formOf(request) }
      return send(reply, await postOn(parts, browserOf(request), answer))
    })
    app.post<OfProvider>('/sign-in/social/:provider/return', answerForm, async (request, reply) => {
      const answer = { providerId: request.params.provider, answer: formOf(request) }
      return send(reply, await returnFromProvider(parts, browserOf(request), answer))
    })

    app.post('/account/social/link', form, async (request, reply) => {
      const sent = formOf(request)
      const wish = { token: sent.get('form'), providerId: sent.get('provider') }
      return send(reply, await beginLinking(parts, browserOf(request), wish))
    })
    app.post('/account/social/unlink', form, async (request, reply) => {
      const sent = formOf(request)
      const wish = { token: sent.get('form'), identityId: sent.get('account') }
      return send(reply, await unlinkAccount(parts, browserOf(request), wish))
    })
  }
}
