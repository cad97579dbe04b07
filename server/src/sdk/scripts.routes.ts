import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { tenantOrigin } from '../tenancy/index.ts'
import { createScripts, isKnown, type Script, takesGzip } from './script.ts'

/** A change is with every reader after five minutes; a page that is in a hurry takes the old one meanwhile. */
const changing = 'public, max-age=300, stale-while-revalidate=86400'
/** One year, the most that RFC 9111 1.2.2 knows of; RFC 8246. */
const unchanging = 'public, max-age=31536000, immutable'

/** The files of the browser SDK. */
const files = [
  {
    name: 'sdk',
    resolve: () => import.meta.resolve('@usher/sdk/sdk.js'),
    operationId: 'sdk.script',
    summary: 'The browser SDK',
    does: 'records page views and heartbeats',
  },
  {
    name: 'sdk-sign-in',
    resolve: () => import.meta.resolve('@usher/sdk/sdk-sign-in.js'),
    operationId: 'sdkSignIn.script',
    summary: 'The browser SDK: sign-in',
    does: 'says who is signed in on the browser, and signs members in and out',
  },
] as const

/** The browser SDK at a tenant's domain, which knows that domain: GET /sdk.js and /sdk-sign-in.js, and of each a copy whose
 *  name changes with its content. Throws when it was not built. */
export function sdkScriptsRoutes({ publicUrl, cookieName }: { publicUrl: URL; cookieName: string }) {
  return async (app: FastifyInstance): Promise<void> => {
    for (const { name, resolve, operationId, summary, does } of files) {
      const template = await readFile(fileURLToPath(resolve()), 'utf8').catch(cause => {
        throw new Error('The browser SDK is not built. Run "npm run build".', { cause })
      })
      const scriptOf = createScripts(template)
      const scriptFor = ({ tenant: { domain, cookieDomain } }: FastifyRequest) =>
        scriptOf({
          tenant_origin: tenantOrigin(publicUrl, domain),
          cookie_name: cookieName,
          cookie_domain: cookieDomain ?? '',
        })

      app.get(
        `/${name}.js`,
        {
          config: { site: 'tenant' },
          exposeHeadRoute: true,
          schema: {
            operationId,
            tags: ['SDK'],
            summary,
            description:
              `Put it on a page as \`<script async src="https://{tenant_domain}/${name}.js"></script>\`. ` +
              'Content-Location names the copy of it that never changes.',
            produces: ['text/javascript'],
            response: {
              200: Type.String({
                description: `JavaScript that ${does}.`,
                examples: ['(()=>{/* … */})()'],
              }),
              304: Type.Null({ description: 'Not changed since the ETag that was sent as If-None-Match.' }),
            },
          },
          serializerCompiler: () => data => data,
        },
        (request, reply) => send(request, reply, { name, script: scriptFor(request), keep: changing }),
      )

      app.get(
        `/${name}-:hash.js`,
        {
          config: { site: 'tenant' },
          exposeHeadRoute: true,
          // The same answer as the one that is described, but for how long it may be kept.
          schema: { hide: true, params: Type.Object({ hash: Type.String() }) },
          serializerCompiler: () => data => data,
        },
        (request, reply) => {
          const script = scriptFor(request)
          if ((request.params as { hash: string }).hash === script.hash)
            return send(request, reply, { name, script, keep: unchanging })
          allowAnyPage(reply)
          return reply.header('cache-control', 'public, max-age=300').redirect(`/${name}.js`, 302)
        },
      )
    }
  }
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, script, keep }: { name: string; script: Script; keep: string },
) {
  const isGzipped = takesGzip(request.headers['accept-encoding'])
  const { body, etag } = isGzipped ? script.gzipped : script.plain
  allowAnyPage(reply)
  reply
    .header('etag', etag)
    .header('cache-control', keep)
    .header('vary', 'accept-encoding')
    .header('content-location', `/${name}-${script.hash}.js`)
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (isGzipped) reply.header('content-encoding', 'gzip')
  return reply.type('text/javascript; charset=utf-8').send(body)
}

function allowAnyPage(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin')
}
