import {
  ErrorBody,
  RESOURCE_MEDIA_TYPE,
  SocialProviderChange,
  SocialProviderDocument,
  SocialProviderList,
} from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { takeResourceBodies } from '../../foundation/http/index.ts'
import { editorOf } from '../../tenancy/index.ts'
import {
  changeProvider,
  createProvider,
  getProvider,
  listProviderResources,
  type ProviderSaving,
  removeProvider,
} from './save-provider.ts'

const ProviderParams = Type.Object({
  provider_id: Type.String({ description: 'the id of a provider', examples: ['google'] }),
})
type ProviderParams = Type.Static<typeof ProviderParams>

const resource = (schema: object) => ({ content: { [RESOURCE_MEDIA_TYPE]: { schema } } })
const consumes = [RESOURCE_MEDIA_TYPE, 'application/json']
const refusal = (description: string, body: ErrorBody) => ({
  description,
  content: { 'application/json': { schema: ErrorBody, example: body } },
})

const secretWrong =
  'client_secret was refused by Google (invalid_client); compare it and client_id with what Google shows.'
const invalidProvider = refusal(
  'Some values are not valid, the provider refuses them, or it cannot be asked; `errors` has the messages of each field.',
  { message: secretWrong, errors: { client_secret: [secretWrong] } },
)
const noProvider = refusal('The tenant has no such provider, or no tenant answers at this host.', {
  message: 'The tenant has no social provider with this id.',
})
const lastWay = refusal('Members could not sign in any more, or somebody else changes the provider.', {
  message:
    'Members could not sign in any more: login_methods are empty, and this is the last provider that is enabled.',
})

/** A tenant's social providers, for its staff: whoever may view the tenant reads, administrators change. */
export function socialProvidersRoutes(saving: ProviderSaving & { onChange(): void }) {
  const { onChange } = saving
  const path = '/api/v1/social-providers'
  const tags = ['Social providers']
  const read = { site: 'api', ability: 'admin:read' } as const
  const write = { site: 'api', ability: 'admin:write', administrator: true } as const

  return async (app: FastifyInstance): Promise<void> => {
    takeResourceBodies(app)

    app.get(
      path,
      {
        config: read,
        schema: {
          operationId: 'socialProvider.index',
          tags,
          summary: "List the tenant's social providers",
          description: 'Oldest first, as the sign-in page has them. Secrets are never shown.',
          response: { 200: { description: 'The providers.', ...resource(SocialProviderList) } },
        },
      },
      async (request, reply) =>
        reply.type(RESOURCE_MEDIA_TYPE).send({ data: await listProviderResources(saving, request.tenant) }),
    )

    app.get<{ Params: ProviderParams }>(
      `${path}/:provider_id`,
      {
        config: read,
        schema: {
          operationId: 'socialProvider.show',
          tags,
          summary: 'Show a social provider',
          params: ProviderParams,
          response: {
            200: { description: 'The provider.', ...resource(SocialProviderDocument) },
            404: noProvider,
          },
        },
      },
      async (request, reply) =>
        reply
          .type(RESOURCE_MEDIA_TYPE)
          .send(await getProvider(saving, request.tenant, request.params.provider_id)),
    )

    app.post<{ Body: SocialProviderChange }>(
      path,
      {
        config: write,
        schema: {
          operationId: 'socialProvider.store',
          tags,
          summary: 'Add a social provider',
          description:
            'The provider is asked first, unless `enabled` is false: its discovery document must name the issuer, and it ' +
            'must know the client with its secret. What it does not tell stands in `meta.warnings`.',
          consumes,
          body: SocialProviderChange,
          response: {
            201: {
              description: 'Added. Register its `redirect_uri` with the provider.',
              ...resource(SocialProviderDocument),
              headers: {
                Location: { type: 'string', description: 'Where the provider is.' },
              },
            },
            409: refusal('The id is taken.', {
              message: 'The tenant has a social provider with the id google already.',
              errors: { id: ['The tenant has a social provider with the id google already.'] },
            }),
            422: invalidProvider,
          },
        },
      },
      async (request, reply) => {
        const made = await createProvider(saving, request.tenant, request.body, editorOf(request))
        onChange()
        return reply
          .code(201)
          .header('location', `${path}/${made.data.id}`)
          .type(RESOURCE_MEDIA_TYPE)
          .send(made)
      },
    )

    app.patch<{ Params: ProviderParams; Body: SocialProviderChange }>(
      `${path}/:provider_id`,
      {
        config: write,
        schema: {
          operationId: 'socialProvider.update',
          tags,
          summary: 'Change a social provider',
          description:
            'What is not sent stays. What the provider decides on is tried, as for a new one. One that is not enabled is ' +
            'not offered, and signs nobody in.',
          params: ProviderParams,
          consumes,
          body: SocialProviderChange,
          response: {
            200: { description: 'The provider as it is now.', ...resource(SocialProviderDocument) },
            404: noProvider,
            409: lastWay,
            422: invalidProvider,
          },
        },
      },
      async (request, reply) => {
        const { params, body, tenant } = request
        const changed = await changeProvider(saving, tenant, params.provider_id, body, editorOf(request))
        onChange()
        return reply.type(RESOURCE_MEDIA_TYPE).send(changed)
      },
    )

    app.delete<{ Params: ProviderParams }>(
      `${path}/:provider_id`,
      {
        config: write,
        schema: {
          operationId: 'socialProvider.destroy',
          tags,
          summary: 'Remove a social provider',
          description: 'The accounts that members have linked are kept, for the day that it is added again.',
          params: ProviderParams,
          response: {
            204: Type.Null({ description: 'Removed.' }),
            404: noProvider,
            409: lastWay,
          },
        },
      },
      async (request, reply) => {
        await removeProvider(saving, request.tenant, request.params.provider_id, editorOf(request))
        onChange()
        return reply.code(204).send()
      },
    )
  }
}
