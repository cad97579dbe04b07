import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'

/** GET /api/v1/openapi.json: the description of the API, made when it is first asked for. */
export function openApiRoutes() {
  return async (app: FastifyInstance): Promise<void> => {
    let made: { document: Buffer; etag: string } | undefined
    function make() {
      const document = Buffer.from(JSON.stringify(app.swagger()))
      const etag = `"${createHash('sha256').update(document).digest('base64url').slice(0, 22)}"`
      made = { document, etag }
      return made
    }

    app.get(
      '/api/v1/openapi.json',
      {
        config: { site: 'platform' },
        exposeHeadRoute: true,
        schema: {
          operationId: 'openapi.show',
          tags: ['Description'],
          summary: 'This document',
          description: 'OpenAPI 3.1.0, the same that the reference at /docs shows.',
          response: {
            200: Type.Object(
              { openapi: Type.Literal('3.1.0'), info: Type.Object({}), paths: Type.Object({}) },
              {
                description: 'The document.',
                examples: [{ openapi: '3.1.0', info: { title: 'Usher', version: '1.0' }, paths: {} }],
              },
            ),
            304: Type.Null({ description: 'Not changed since the ETag that was sent as If-None-Match.' }),
          },
        },
      },
      (request, reply) => {
        const { document, etag } = made ?? make()
        reply.header('etag', etag).header('cache-control', 'public, max-age=300')
        if (request.headers['if-none-match'] === etag) return reply.code(304).send()
        return reply.type('application/json').send(document)
      },
    )
  }
}
