import type { FastifyInstance } from 'fastify'
import { OAuthError } from './oauth-error.ts'

/** The media type that OAuth endpoints take. */
export const FORM = 'application/x-www-form-urlencoded'

/** Has the routes of a plugin refuse in the words of OAuth (RFC 6749 5.2). */
export function answerOAuthErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof OAuthError)) throw error
    return reply
      .code(error.status)
      .headers(error.headers)
      .send({ error: error.code, error_description: error.message })
  })
}
