import {
  IntrospectionResponse,
  maxUserAgentLength,
  OAuthErrorBody,
  TokenReference,
  TokenRequest,
  TokenResponse,
} from '@usher/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { takeFormBodies } from '../foundation/http/index.ts'
import { type ExchangeParts, exchangeCode } from './exchange-code.ts'
import { introspectToken } from './introspect-token.ts'
import { answerOAuthErrors, FORM } from './oauth-answers.routes.ts'
import { OAuthError } from './oauth-error.ts'
import type { OAuthParts } from './open-oauth.ts'
import { revokeToken } from './revoke-token.ts'

const refusals = {
  400: OAuthErrorBody,
  401: {
    description: 'HTTP Basic was used, and the client is unknown or disabled, or its secret is wrong.',
    content: {
      'application/json': {
        schema: OAuthErrorBody,
        example: {
          error: 'invalid_client',
          error_description:
            'The client is unknown or disabled, or its secret is wrong. Check client_id, and client_secret or HTTP Basic.',
        },
      },
    },
    headers: {
      'WWW-Authenticate': {
        type: 'string',
        const: 'Basic realm="OAuth client", charset="UTF-8"',
        description: 'How to authenticate.',
      },
    },
  },
}

/** The form of a request. Throws invalid_request when the body is something else. */
function formOf(request: FastifyRequest): URLSearchParams {
  if (request.body instanceof URLSearchParams) return request.body
  if (request.headers['content-type'] === undefined) return new URLSearchParams()
  throw new OAuthError('invalid_request', `Send the parameters as ${FORM}.`)
}

const toCall = (request: FastifyRequest) => ({
  tenant: request.tenant,
  authorization: request.headers.authorization,
  form: formOf(request),
})

/** The endpoints that a client's server calls: token (interface 4.7), revocation (RFC 7009) and introspection
 *  (RFC 7662). No CORS: they are not for browsers. */
export function tokenRoutes(parts: ExchangeParts & OAuthParts) {
  const common = {
    config: { site: 'tenant' },
    // A form is read by hand, so that what was sent twice is seen, and refused in the words of OAuth.
    validatorCompiler: () => () => true,
  } as const

  return async (app: FastifyInstance): Promise<void> => {
    takeFormBodies(app)
    answerOAuthErrors(app)
    app.addHook('onRequest', (_request, reply, done) => {
      // RFC 6749 5.1.
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
      done()
    })

    app.post(
      '/oauth/token',
      {
        ...common,
        schema: {
          operationId: 'oauth.token',
          tags: ['OAuth'],
          summary: 'Exchange an authorization code for an access token',
          description:
            "For a client's server. A code is used up by the exchange that succeeds; of several at once, one does.",
          consumes: [FORM],
          body: TokenRequest,
          response: { 200: TokenResponse, ...refusals },
        },
      },
      request =>
        exchangeCode(parts, {
          ...toCall(request),
          userAgent: (request.headers['user-agent'] ?? '').slice(0, maxUserAgentLength),
          address: request.clientAddress,
        }),
    )

    app.post(
      '/oauth/revoke',
      {
        ...common,
        schema: {
          operationId: 'oauth.revoke',
          tags: ['OAuth'],
          summary: 'Revoke an access token',
          description:
            "The client's own token is refused from then on. Any other is left as it is, and that is no error.",
          consumes: [FORM],
          body: TokenReference,
          response: {
            200: Type.Object({}, { description: 'The token is not good, or not any more.', examples: [{}] }),
            ...refusals,
          },
        },
      },
      async request => {
        await revokeToken(parts, toCall(request))
        return {}
      },
    )

    app.post(
      '/oauth/introspect',
      {
        ...common,
        schema: {
          operationId: 'oauth.introspect',
          tags: ['OAuth'],
          summary: 'Ask whether an access token is good',
          description:
            "For every client of the tenant. The token's session, its client and its own row are looked at.",
          consumes: [FORM],
          body: TokenReference,
          response: { 200: IntrospectionResponse, ...refusals },
        },
      },
      request => introspectToken(parts, toCall(request)),
    )
  }
}
