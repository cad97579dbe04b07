import type { FastifyInstance } from 'fastify'

const FORM = 'application/x-www-form-urlencoded'

/** Has the routes of a plugin read their bodies as forms, into URLSearchParams, which keep what was sent twice. A body
 *  of another media type is undefined to them. Without this, a body has to be JSON. */
export function takeFormBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) => {
    done(null, new URLSearchParams(String(body)))
  })
  // Read, so that the connection can go on, and dropped.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined))
}
