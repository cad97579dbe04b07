import { createGunzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { referencePage, referencePolicy, startScript } from './reference-page.ts'
import { loadReferenceScript } from './reference-script.ts'

/** GET /docs: the reference for people, on the platform host, to which its bare address leads. It needs no other host (docs/adr/0011). */
export function referenceRoutes() {
  return async (app: FastifyInstance): Promise<void> => {
    const options = { config: { site: 'platform' as const }, exposeHeadRoute: true, schema: { hide: true } }

    const sendPage = (reply: FastifyReply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-cache')
        .header('content-security-policy', referencePolicy)
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'no-referrer')
        .send(referencePage)

    // The address that a start prints, as people open it.
    app.get('/', options, (_request, reply) => reply.redirect('/docs', 302))
    app.get('/docs', options, (_request, reply) => sendPage(reply))
    app.get('/docs/', options, (_request, reply) => sendPage(reply))

    app.get('/docs/start.js', options, (_request, reply) =>
      reply
        .type('text/javascript; charset=utf-8')
        .header('cache-control', 'no-cache')
        .header('x-content-type-options', 'nosniff')
        .send(startScript),
    )

    app.get('/docs/reference.js', options, async (request, reply) => {
      const { gzipped, etag } = await loadReferenceScript()
      reply
        .header('etag', etag)
        // Of one release to the next it changes, and asking again costs little.
        .header('cache-control', 'no-cache')
        .header('vary', 'accept-encoding')
        .header('x-content-type-options', 'nosniff')
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      reply.type('text/javascript; charset=utf-8')
      if (/\bgzip\b/.test(String(request.headers['accept-encoding'])))
        return reply.header('content-encoding', 'gzip').send(gzipped)
      return reply.send(createGunzip().end(gzipped))
    })
  }
}
