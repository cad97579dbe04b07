import {
  ErrorBody,
  MemberSessionResource,
  MemberSessionResourceList,
  RESOURCE_MEDIA_TYPE,
} from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { notFound } from '../foundation/http/index.ts'
import { listForStaff } from './describe-sessions.ts'
import type { MemberRoutesOptions } from './member.routes.ts'
import { readSessionFilter } from './read-session-filter.ts'
import { SessionParams } from './session-params.ts'

const path = '/api/v1/member-sessions'
const tags = ['Members']
const NO_SESSION = 'The tenant has no such session of a member, or it has ended already.'
const refusal = (description: string, body: ErrorBody) => ({
  description,
  content: { 'application/json': { schema: ErrorBody, example: body } },
})

/** Documented only: the whole query is read by hand, since what JSON:API reserves is refused and all else ignored. */
const SessionQuery = Type.Object({
  'filter[member]': Type.Optional(
    Type.String({
      description: 'The id of a member, as events have it in `audience_member_id`.',
      examples: ['0197c2d4-5e00-7a31-9c55-1f2e3d4c5b6a'],
    }),
  ),
  'filter[email]': Type.Optional(
    Type.String({ description: 'The mail address of a member, instead.', examples: ['ada@example.com'] }),
  ),
})

/** Where a tenant's members are signed in, for its staff: whoever may view the tenant reads, administrators end. */
export function memberSessionsRoutes({ members, findClient, nowMs }: MemberRoutesOptions) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addSchema(MemberSessionResource)

    app.get(
      path,
      {
        config: { site: 'api', ability: 'admin:read' },
        schema: {
          operationId: 'memberSession.index',
          tags,
          summary: 'List where a member is signed in',
          description: 'Browsers and the applications of partners, the one in use last first.',
          querystring: SessionQuery,
          response: {
            200: {
              description: 'The live sessions; none where there is no such member.',
              content: { [RESOURCE_MEDIA_TYPE]: { schema: MemberSessionResourceList } },
            },
            400: refusal('The query names no member, or more than one, or sends what this route lacks.', {
              message: 'Name one member, by filter[member] or by filter[email].',
              errors: { 'filter[member]': ['Name one member, by filter[member] or by filter[email].'] },
            }),
          },
        },
        // The form of the query is not 422 here but 400, as JSON:API says.
        validatorCompiler: () => () => true,
      },
      async (request, reply) => {
        const tenantId = request.tenant.id
        const filter = readSessionFilter(new URLSearchParams(request.url.split('?', 2)[1]))
        const member =
          'email' in filter
            ? await members.findMemberByEmail(tenantId, filter.email)
            : await members.findMember(tenantId, filter.memberId)
        const memberId = member?.id
        const data =
          memberId === undefined
            ? []
            : await listForStaff(await members.listSessions(tenantId, memberId, new Date(nowMs())), {
                tenantId,
                findClient,
                memberId,
              })
        return reply.type(RESOURCE_MEDIA_TYPE).header('cache-control', 'no-store').send({ data })
      },
    )

    app.delete<{ Params: SessionParams }>(
      `${path}/:session_id`,
      {
        config: { site: 'api', ability: 'admin:write', administrator: true },
        schema: {
          operationId: 'memberSession.destroy',
          tags,
          summary: 'Sign a member out of one browser or application',
          description: 'Ends that session and every token of it at once; the audit trail says who did it.',
          params: SessionParams,
          response: {
            204: Type.Null({ description: 'Ended.' }),
            404: refusal('The tenant has no such live session, or no tenant answers at this host.', {
              message: NO_SESSION,
            }),
          },
        },
      },
      async (request, reply) => {
        const { credential, tenant } = request
        const isEnded = await members.endSessionAsStaff(tenant.id, {
          sessionId: request.params.session_id.toLowerCase(),
          actor: { kind: 'key', id: credential.keyId, name: credential.name },
          address: request.clientAddress,
          now: new Date(nowMs()),
        })
        if (!isEnded) throw notFound(NO_SESSION)
        return reply.code(204).send()
      },
    )
  }
}
