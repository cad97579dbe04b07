import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { tenantOrigin } from '../tenancy/index.ts'
import { createSdkScripts, isKnown, type SdkScript, takesGzip } from './sdk-script.ts'

/** A change is with every reader after five minutes; a page that is in a hurry takes the old one meanwhile. */
const changing = 'public, max-age=300, stale-while-revalidate=86400'
/** One year, the most that RFC 9111 1.2.2 knows of; RFC 8246. */
const unchanging = 'public, max-age=31536000, immutable'

const answers = {
  200: Type.String({
    description: 'JavaScript that records page views and heartbeats.',
    examples: ['(()=>{/* … */})()'],
  }),
  304: Type.Null({ description: 'Not changed since the ETag that was sent as If-None-Match.' }),
}

/** The browser SDK at a tenant's domain, which knows that domain: GET /sdk.js, and a copy of it whose name changes
 *  with its content. Throws when it was not built. */
export function sdkScriptRoutes({ publicUrl, cookieName }: { publicUrl: URL; cookieName: string }) {
  return async (app: FastifyInstance): Promise<void> => {
    const file = fileURLToPath(import.meta.resolve('@usher/sdk/sdk.js'))
    const template = await readFile(file, 'utf8').catch(cause => {
      throw new Error('The browser SDK is not built. Run "npm run build".', { cause })
    })
    const scriptOf = createSdkScripts(template, cookieName)
    const scriptFor = (request: FastifyRequest) => scriptOf(tenantOrigin(publicUrl, request.tenant.domain))

    app.get(
      '/sdk.js',
      {
        config: { site: 'tenant' },
        schema: {
          operationId: 'sdk.script',
          tags: ['SDK'],
          summary: 'The browser SDK',
          description:
            'Put it on a page as `<script async src="https://{tenant_domain}/sdk.js"></script>`. ' +
            'Content-Location names the copy of it that never changes.',
          produces: ['text/javascript'],
          response: answers,
        },
        serializerCompiler: () => data => data,
      },
      (request, reply) => send(request, reply, scriptFor(request), changing),
    )

    app.get(
      '/sdk-:hash.js',
      {
        config: { site: 'tenant' },
        // The same answer as the one that is described, but for how long it may be kept.
        schema: { hide: true, params: Type.Object({ hash: Type.String() }) },
        serializerCompiler: () => data => data,
      },
      (request, reply) => {
        const script = scriptFor(request)
        if ((request.params as { hash: string }).hash === script.hash)
          return send(request, reply, script, unchanging)
        allowAnyPage(reply)
        return reply.header('cache-control', 'public, max-age=300').redirect('/sdk.js', 302)
      },
    )
  }
}

function send(request: FastifyRequest, reply: FastifyReply, script: SdkScript, cacheControl: string) {
  const isGzipped = takesGzip(request.headers['accept-encoding'])
  const { body, etag } = isGzipped ? script.gzipped : script.plain
  allowAnyPage(reply)
  reply
    .header('etag', etag)
    .header('cache-control', cacheControl)
    .header('vary', 'accept-encoding')
    .header('content-location', `/sdk-${script.hash}.js`)
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (isGzipped) reply.header('content-encoding', 'gzip')
  return reply.type('text/javascript; charset=utf-8').send(body)
}

function allowAnyPage(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin')
}
