import { ErrorBody, RESOURCE_MEDIA_TYPE, TenantList, tenantAttributes } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../foundation/database/index.ts'
import { listTenantResources, readTenantFields } from './list-tenant-resources.ts'

/** Documented only: the whole query is read by hand, since what JSON:API reserves is refused and all else
 *  ignored. */
const TenantQuery = Type.Object(
  {
    'fields[tenants]': Type.Optional(
      Type.Array(Type.Enum(tenantAttributes), {
        uniqueItems: true,
        description: 'The attributes to answer, separated by commas: all of them if it is left out.',
        examples: [['name', 'domain']],
      }),
    ),
  },
  { style: 'form', explode: false },
)

/** GET /api/v1/landlord/tenants (interface 4.2). */
export function landlordRoutes({ db }: { db: Database }) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get(
      '/api/v1/landlord/tenants',
      {
        config: { site: 'platform', operator: true, ability: 'admin:read' },
        schema: {
          operationId: 'tenant.index',
          tags: ['Landlord'],
          summary: 'List every tenant on the platform',
          description: 'Oldest first; suspended ones too.',
          security: [{ bearer: [] }],
          querystring: TenantQuery,
          response: {
            200: {
              description: 'Every tenant, oldest first.',
              content: { [RESOURCE_MEDIA_TYPE]: { schema: TenantList } },
            },
            400: {
              description:
                'The query selects what there is not, or sends what JSON:API reserves and this route lacks.',
              content: {
                'application/json': {
                  schema: ErrorBody,
                  example: {
                    message: 'fields[tenants] knows name, slug, domain, created_at, and not "colour".',
                    errors: {
                      'fields[tenants]': [
                        'fields[tenants] knows name, slug, domain, created_at, and not "colour".',
                      ],
                    },
                  },
                },
              },
            },
            401: ErrorBody,
            403: ErrorBody,
            503: ErrorBody,
          },
        },
        // The form of the query is not 422 here but 400, as JSON:API says.
        validatorCompiler: () => () => true,
      },
      async (request, reply) => {
        const fields = readTenantFields(new URLSearchParams(request.url.split('?', 2)[1]))
        return reply.type(RESOURCE_MEDIA_TYPE).send(await listTenantResources(db, fields))
      },
    )
  }
}
