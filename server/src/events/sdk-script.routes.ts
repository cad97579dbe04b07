import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { tenantOrigin } from '../tenancy/index.ts'

/** What the script holds in the place of the tenant's address (sdk/src/script.ts). */
const originPlaceholder = '{{tenant_origin}}'

/** GET /sdk.js at a tenant's domain: the browser SDK, which knows that domain. Throws when it was not built. */
export function sdkScriptRoutes({ publicUrl }: { publicUrl: URL }) {
  return async (app: FastifyInstance): Promise<void> => {
    const file = fileURLToPath(import.meta.resolve('@usher/sdk/sdk.js'))
    const text = await readFile(file, 'utf8').catch(cause => {
      throw new Error('The browser SDK is not built. Run "npm run build".', { cause })
    })
    app.get(
      '/sdk.js',
      {
        config: { site: 'tenant' },
        schema: {
          operationId: 'sdk.script',
          tags: ['SDK'],
          summary: 'The browser SDK',
          description: 'Put it on a page as `<script async src="https://{tenant_domain}/sdk.js"></script>`.',
          produces: ['text/javascript'],
          response: {
            200: Type.String({
              description: 'JavaScript that records page views and heartbeats.',
              examples: ['(()=>{/* … */})()'],
            }),
            304: Type.Null({ description: 'Not changed since the ETag that was sent as If-None-Match.' }),
          },
        },
        serializerCompiler: () => data => data,
      },
      (request, reply) => {
        const script = text.replaceAll(originPlaceholder, tenantOrigin(publicUrl, request.tenant.domain))
        const etag = `"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"`
        reply
          .header('etag', etag)
          .header('cache-control', 'public, max-age=300')
          .header('access-control-allow-origin', '*')
          .header('cross-origin-resource-policy', 'cross-origin')
        if (request.headers['if-none-match'] === etag) return reply.code(304).send()
        return reply.type('text/javascript; charset=utf-8').send(script)
      },
    )
  }
}
