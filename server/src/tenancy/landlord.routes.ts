import { ErrorBody, RESOURCE_MEDIA_TYPE, TenantList } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../foundation/database/index.ts'
import { listTenantResources, readTenantFields } from './list-tenant-resources.ts'

/** Documented only: the whole query is read by hand, since what JSON:API reserves is refused and all else
 *  ignored. */
const TenantQuery = Type.Object({
  'fields[tenants]': Type.Optional(
    Type.String({
      description: 'The attributes to answer, separated by commas: name, slug, domain, created_at.',
      examples: ['name,domain'],
    }),
  ),
})

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
          description: 'Served on the platform host only, to a platform key of a super admin.',
          security: [{ bearer: [] }],
          querystring: TenantQuery,
          response: {
            200: {
              description: 'Every tenant, oldest first.',
              content: { [RESOURCE_MEDIA_TYPE]: { schema: TenantList } },
            },
            400: ErrorBody,
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
