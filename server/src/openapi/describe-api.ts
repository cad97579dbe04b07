import swagger from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { completeDocument } from './complete-document.ts'
import { describeOperation } from './describe-operation.ts'
import type { JsonObject } from './json.ts'
import { createSchemaNames } from './schema-names.ts'
import { serversAt } from './servers.ts'
import { tags } from './tags.ts'

const description = `The programming interface of Usher, a multi-tenant audience and membership platform.

An API key is sent as \`Authorization: Bearer <key>\`. It is an operator's, which opens what concerns the whole platform,
or a tenant's. On the platform host a tenant's key names its tenant; on a tenant's domain the domain does.

Errors are \`{message, errors?}\`: the message says what went wrong and what to do, \`errors\` has the messages of each
field. Every answer carries \`X-Request-Id\`. Timestamps are ISO 8601 with milliseconds and an offset.`

/** Tells a route that nobody would find in the document when the route is made. */
function checkDescribed({ method, url, schema }: RouteOptions): void {
  if (schema?.hide) return
  const { operationId, summary, response, tags: names = [] } = schema ?? {}
  const areKnown = names.length > 0 && names.every(name => tags.some(tag => tag.name === name))
  if (operationId && summary && response && areKnown) return
  throw new Error(
    `The route ${method} ${url} needs an operationId, a summary, its answers and tags of openapi/tags.ts, or hide: true.`,
  )
}

/** Describes each route that is added after it, in OpenAPI 3.1 (interface 9). The document is `app.swagger()` once
 *  the app is ready. What a route says of its answers describes them and changes nothing about them. */
export async function describeApi(app: FastifyInstance, publicUrl: URL): Promise<void> {
  // Fastify would fit each answer into its schema, and turn a null that a schema forgot into "".
  app.setSerializerCompiler(() => data => JSON.stringify(data))
  app.addHook('onRoute', checkDescribed)
  const names = createSchemaNames()
  const servers = serversAt(publicUrl)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Usher', version: '1.0', description },
      servers: servers.all as { url: string }[],
      tags,
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key, `usher_platform_…` or `usher_org_…`.',
          },
          member: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: "A member's token: the device token of the session cookie, or an access token.",
          },
        },
      },
    },
    stripBasePath: false,
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => ({
      url,
      schema: schema?.hide ? schema : describeOperation(route, names, servers),
    }),
    transformObject(document) {
      // Those that are used by their name only.
      for (const shared of Object.values(app.getSchemas())) names.refer(shared)
      const openapi = 'openapiObject' in document ? document.openapiObject : {}
      return completeDocument(openapi as JsonObject, names)
    },
  })
}
