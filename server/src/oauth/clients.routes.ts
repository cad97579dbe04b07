import {
  ClientChange,
  ClientDocument,
  ClientList,
  ClientWithSecretDocument,
  ErrorBody,
  RESOURCE_MEDIA_TYPE,
} from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../foundation/database/index.ts'
import { takeResourceBodies } from '../foundation/http/index.ts'
import { editorOf } from '../tenancy/index.ts'
import { changeClient } from './change-client.ts'
import { createClient } from './create-client.ts'
import { getClientResource, listClientResources } from './list-clients.ts'
import { regenerateSecret } from './regenerate-secret.ts'

const ClientParams = Type.Object({
  client_id: Type.String({ description: 'the client_id', examples: ['partner'] }),
})
type ClientParams = Type.Static<typeof ClientParams>

const resource = (schema: object) => ({ content: { [RESOURCE_MEDIA_TYPE]: { schema } } })
const consumes = [RESOURCE_MEDIA_TYPE, 'application/json']

const refusal = (description: string, body: ErrorBody) => ({
  description,
  content: { 'application/json': { schema: ErrorBody, example: body } },
})
const invalidClient = refusal('Some values are not valid; `errors` has the messages of each field.', {
  message: 'redirect_uris[0] must be HTTPS; only http://localhost and http://127.0.0.1 may be without it.',
  errors: {
    redirect_uris: [
      'redirect_uris[0] must be HTTPS; only http://localhost and http://127.0.0.1 may be without it.',
    ],
  },
})
const noClient = refusal('The tenant has no such client, or no tenant answers at this host.', {
  message: 'The tenant has no client with this client_id.',
})

/** A tenant's clients, for its staff: whoever may view the tenant reads, administrators change (interface 2.5). */
export function clientsRoutes({ db, onChange }: { db: Database; onChange(): void }) {
  const path = '/api/v1/oauth-clients'
  const tags = ['OAuth clients']
  const read = { site: 'api', ability: 'admin:read' } as const
  const write = { site: 'api', ability: 'admin:write', administrator: true } as const

  return async (app: FastifyInstance): Promise<void> => {
    takeResourceBodies(app)

    app.get(
      path,
      {
        config: read,
        schema: {
          operationId: 'oauthClient.index',
          tags,
          summary: "List the tenant's OAuth clients",
          description: 'Oldest first. Secrets are never shown.',
          response: { 200: { description: 'The clients.', ...resource(ClientList) } },
        },
      },
      async (request, reply) =>
        reply.type(RESOURCE_MEDIA_TYPE).send({ data: await listClientResources(db, request.tenant.id) }),
    )

    app.get<{ Params: ClientParams }>(
      `${path}/:client_id`,
      {
        config: read,
        schema: {
          operationId: 'oauthClient.show',
          tags,
          summary: 'Show an OAuth client',
          params: ClientParams,
          response: { 200: { description: 'The client.', ...resource(ClientDocument) }, 404: noClient },
        },
      },
      async (request, reply) => {
        const data = await getClientResource(db, request.tenant.id, request.params.client_id)
        return reply.type(RESOURCE_MEDIA_TYPE).send({ data })
      },
    )

    app.post<{ Body: ClientChange }>(
      path,
      {
        config: write,
        schema: {
          operationId: 'oauthClient.store',
          tags,
          summary: 'Register an OAuth client',
          description: 'The answer has the secret, which is shown only now.',
          consumes,
          body: ClientChange,
          response: {
            201: {
              description: 'Registered. Keep the secret: it is not shown again.',
              ...resource(ClientWithSecretDocument),
              headers: { Location: { type: 'string', description: 'Where the client is.' } },
            },
            409: refusal('The client_id is taken.', {
              message: 'The tenant has a client with the client_id partner already.',
              errors: { id: ['The tenant has a client with the client_id partner already.'] },
            }),
            422: invalidClient,
          },
        },
      },
      async (request, reply) => {
        const data = await createClient(db, request.tenant.id, request.body, editorOf(request))
        onChange()
        return reply
          .code(201)
          .header('location', `${path}/${data.id}`)
          .header('cache-control', 'no-store')
          .type(RESOURCE_MEDIA_TYPE)
          .send({ data })
      },
    )

    app.patch<{ Params: ClientParams; Body: ClientChange }>(
      `${path}/:client_id`,
      {
        config: write,
        schema: {
          operationId: 'oauthClient.update',
          tags,
          summary: 'Change an OAuth client',
          description:
            'What is not sent stays. A disabled client is refused everywhere, with all its tokens.',
          params: ClientParams,
          consumes,
          body: ClientChange,
          response: {
            200: { description: 'The client as it is now.', ...resource(ClientDocument) },
            404: noClient,
            409: refusal('The body names another client than the address.', {
              message: 'A client_id never changes: leave id out, or send that of the address.',
            }),
            422: invalidClient,
          },
        },
      },
      async (request, reply) => {
        const { params, body, tenant } = request
        const data = await changeClient(db, tenant.id, params.client_id, body, editorOf(request))
        onChange()
        return reply.type(RESOURCE_MEDIA_TYPE).send({ data })
      },
    )

    app.post<{ Params: ClientParams }>(
      `${path}/:client_id/secret`,
      {
        config: write,
        schema: {
          operationId: 'oauthClient.regenerate',
          tags,
          summary: "Replace an OAuth client's secret",
          description:
            'The one before is wrong at once. The answer has the new one, which is shown only now.',
          params: ClientParams,
          response: {
            200: {
              description: 'The client with its new secret. Keep it: it is not shown again.',
              ...resource(ClientWithSecretDocument),
            },
            404: noClient,
          },
        },
      },
      async (request, reply) => {
        const { params, tenant } = request
        const data = await regenerateSecret(db, tenant.id, params.client_id, editorOf(request))
        onChange()
        return reply.header('cache-control', 'no-store').type(RESOURCE_MEDIA_TYPE).send({ data })
      },
    )
  }
}
