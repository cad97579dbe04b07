import { ErrorBody, RESOURCE_MEDIA_TYPE, SilentSignInDocument } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../foundation/database/index.ts'
import type { Secrets } from '../foundation/secrets/index.ts'
import { examineClient } from './examine-client.ts'
import { readDoctorQuery } from './read-query.ts'

const ClientParams = Type.Object({
  client_id: Type.String({ description: 'the client_id', examples: ['partner'] }),
})
type ClientParams = Type.Static<typeof ClientParams>

/** Documented only: the whole query is read by hand, since what JSON:API reserves is refused and all else ignored. */
const DoctorQuery = Type.Object({
  site: Type.String({
    description: 'The address of the site, with http or https. A path is taken, and only its origin counts.',
    examples: ['https://news.acme.example'],
  }),
  host: Type.Optional(
    Type.String({
      description:
        'Where the site asks: a host, with its port or without, or an address. It should be the canonical domain.',
      examples: ['members.acme.example'],
    }),
  ),
})

const refusal = (description: string, body: ErrorBody) => ({
  description,
  content: { 'application/json': { schema: ErrorBody, example: body } },
})
const noSite = 'site must be an address with http or https, such as https://news.example.com.'
const noClient =
  'Tenant acme has no client partnr. Did you mean partner? It is compared letter by letter, also upper and lower case.'

/** What silent sign-in needs on a site of a client's, for a tenant's staff (interface 4.8, 4.9 and 5). */
export function silentSignInRoutes(parts: {
  db: Database
  secrets: Secrets
  publicUrl: URL
  nowMs(): number
}) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get<{ Params: ClientParams }>(
      '/api/v1/oauth-clients/:client_id/silent-sign-in',
      {
        config: { site: 'api', ability: 'admin:read' },
        schema: {
          operationId: 'silentSignIn.show',
          tags: ['OAuth clients'],
          summary: 'Find out whether silent sign-in can work on a site',
          description:
            'Says everything that is wrong and what to change, as `npx usher doctor silent` does. It looks at the settings alone: ' +
            'what a browser makes of them is on the page that `links.live_check` names.',
          params: ClientParams,
          querystring: DoctorQuery,
          response: {
            200: {
              description: 'What was found.',
              content: { [RESOURCE_MEDIA_TYPE]: { schema: SilentSignInDocument } },
            },
            400: refusal('The query sends something twice, or what JSON:API reserves and this route lacks.', {
              message: 'Send site once.',
              errors: { site: ['Send site once.'] },
            }),
            404: refusal('The tenant has no such client, or no tenant answers at this host.', {
              message: noClient,
              errors: { client_id: [noClient] },
            }),
            422: refusal('Site or host is no address; `errors` has the messages of each field.', {
              message: noSite,
              errors: { site: [noSite] },
            }),
          },
        },
        validatorCompiler: () => () => true,
      },
      async (request, reply) => {
        const asked = readDoctorQuery(new URLSearchParams(request.url.split('?').slice(1).join('?')))
        const { client_id: clientId } = request.params
        const now = { ...parts, nowMs: parts.nowMs() }
        const document = await examineClient(now, request.tenant, { ...asked, clientId })
        // It holds a ticket.
        return reply.type(RESOURCE_MEDIA_TYPE).header('cache-control', 'no-store').send(document)
      },
    )
  }
}
