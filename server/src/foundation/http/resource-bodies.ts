import { RESOURCE_MEDIA_TYPE } from '@usher/contract'
import type { FastifyInstance } from 'fastify'

/** Has the routes of a plugin read bodies of JSON:API as they read JSON, prototype keys refused. */
export function takeResourceBodies(app: FastifyInstance): void {
  app.addContentTypeParser(
    RESOURCE_MEDIA_TYPE,
    { parseAs: 'string' },
    app.getDefaultJsonParser('error', 'error'),
  )
}
