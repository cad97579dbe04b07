import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'

/** GET /sdk.js at a tenant's domain: the browser SDK. Throws when it was not built. */
export const sdkScriptRoutes: FastifyPluginAsync = async app => {
  const script = await readFile(fileURLToPath(import.meta.resolve('@usher/sdk/sdk.js'))).catch(cause => {
    throw new Error('The browser SDK is not built. Run "npm run build".', { cause })
  })
  const etag = `"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"`
  app.get(
    '/sdk.js',
    {
      config: { site: 'tenant' },
      schema: {
        operationId: 'sdk.script',
        tags: ['SDK'],
        summary: 'The browser SDK',
        produces: ['text/javascript'],
        response: {
          200: Type.String({ description: 'JavaScript.' }),
          304: Type.Null({ description: 'Not changed.' }),
        },
      },
      serializerCompiler: () => data => data,
    },
    (request, reply) => {
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
