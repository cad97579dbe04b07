import { ErrorBody, OAuthErrorBody, UserInfoRequest, UserInfoResponse } from '@usher/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { allowAnyOrigin, answerPreflight, takeFormBodies } from '../../foundation/http/index.ts'
import { answerOAuthErrors, FORM } from '../oauth-answers.routes.ts'
import type { OAuthParts } from '../open-oauth.ts'
import { readUserInfo } from './read-user-info.ts'

const refusal = (description: string, example: OAuthErrorBody) => ({
  description,
  content: { 'application/json': { schema: OAuthErrorBody, example } },
})

const refusals = {
  400: refusal('The token was sent in two ways, or twice.', {
    error: 'invalid_request',
    error_description: 'Send the access token in the header or in the form, not both.',
  }),
  401: {
    ...refusal('The request has no access token that is good now.', {
      error: 'invalid_token',
      error_description:
        'The access token is expired, revoked, or not one of this tenant. Let the member sign in again.',
    }),
    headers: {
      'WWW-Authenticate': {
        type: 'string',
        examples: ['Bearer error="invalid_token"'],
        description: 'What is wrong with the token (RFC 6750 3).',
      },
    },
  },
  403: {
    description: 'The token was issued without the scope `openid`, or the tenant is suspended.',
    content: {
      'application/json': {
        schema: Type.Union([OAuthErrorBody, ErrorBody]),
        example: {
          error: 'insufficient_scope',
          error_description: 'The access token was issued without the scope openid.',
        },
      },
    },
  },
}

/** Who the member of an access token is (OpenID Connect Core 5.3), for servers and for pages of any origin. */
export function userInfoRoutes(parts: Pick<OAuthParts, 'members' | 'nowMs'>) {
  const config = { site: 'tenant', member: true } as const
  const path = '/oauth/userinfo'
  const answer = (request: FastifyRequest): Promise<UserInfoResponse> =>
    readUserInfo(parts, {
      tenant: request.tenant,
      authorization: request.headers.authorization,
      form: request.body instanceof URLSearchParams ? request.body : new URLSearchParams(),
      address: request.clientAddress,
    })

  return async (app: FastifyInstance): Promise<void> => {
    takeFormBodies(app)
    answerOAuthErrors(app)
    allowAnyOrigin(app)

    app.options(path, { config: { site: 'tenant' }, schema: { hide: true } }, (_request, reply) =>
      answerPreflight(reply, 'GET, POST'),
    )

    app.get(
      path,
      {
        config,
        schema: {
          operationId: 'oauth.userinfo',
          tags: ['OAuth'],
          summary: 'Say who the member is',
          description: 'For access tokens that were issued with the scope `openid`.',
          response: { 200: UserInfoResponse, ...refusals },
        },
      },
      answer,
    )

    app.post(
      path,
      {
        config,
        // A form is read by hand, so that what was sent twice is seen.
        validatorCompiler: () => () => true,
        schema: {
          operationId: 'oauthForm.userinfo',
          tags: ['OAuth'],
          summary: 'Say who the member is, with the token in a form',
          description: 'The same, also with the token as Bearer.',
          consumes: [FORM],
          body: UserInfoRequest,
          response: { 200: UserInfoResponse, ...refusals },
        },
      },
      answer,
    )
  }
}
